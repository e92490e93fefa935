"""Shows a run in a terminal while it happens, and as one JSON object at its end."""

from __future__ import annotations

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from studio.launcher.remote import Json
from studio.launcher.terminal_text import printable

TOP = 3
MESSAGE_CHARS = 600
FACTS = {"cached": "cached", "reused": "reused", "refused": "refused", "truncated": "cut"}
"""Field of an agent's last event → its word in the terminal."""


class Report:
    """Prints each decision as it is made, and the streaming text of active agents below.

    `quiet` is for `--json`: the same goes to stderr, nothing to stdout.
    """

    def __init__(self, *, quiet: bool) -> None:
        self.console = Console(stderr=quiet, highlight=False, soft_wrap=False)
        self.live = Live(console=self.console, refresh_per_second=12, transient=True)
        self.names: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.seen: set[str] = set()

    def __enter__(self) -> Report:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.console.is_terminal:
            self.live.stop()

    def begin(self, run: str, address: str) -> None:
        self.console.print(f"[dim]run {run} · {address}[/dim]", soft_wrap=True)

    def note(self, line: str) -> None:
        self.console.print(f"[dim]{escape(line)}[/dim]")

    def frame(self, kind: str, data: Json) -> None:
        """Show one frame of the event stream. After a reconnect a snapshot repeats earlier ones."""
        data = printable(data)
        if kind == "snapshot":
            for entry in data["events"]:
                self._entry(entry)
            self.texts |= data["partial"]
        elif kind == "trace":
            self._entry(data)
        elif kind == "delta":
            self._delta(data)
        self._refresh()

    def _entry(self, entry: Json) -> None:
        identity = str(entry.get("id", ""))
        if identity and identity in self.seen:
            return
        self.seen.add(identity)
        event = entry["event"]
        handler = getattr(self, f"on_{event['event']}", None)
        if handler is not None:
            handler(event)

    def _delta(self, event: Json) -> None:
        agent = str(event["agent_id"])
        self.texts[agent] = self.texts.get(agent, "")[: event["offset"]] + str(event["text"])

    def _refresh(self) -> None:
        rows = Text()
        for agent, text in self.texts.items():
            rows.append(f"  {self._name(agent)} ", style="cyan")
            rows.append(" ".join(text.split())[-200:] + "\n", style="dim")
        self.live.update(rows)

    def _name(self, agent: str) -> str:
        return self.names.get(agent, agent)

    def on_run_started(self, event: Json) -> None:
        weights = " · untrained weights" if event.get("trained") is False else ""
        pool = f" · pool {event['pool']}" if event.get("pool") else ""
        self.console.print(
            f"[bold]{escape(event['method'])}[/bold] on {escape(event['model'])}{pool}"
            f" · seed {event['seed']}{weights}"
        )

    def on_attempt_lost(self, event: Json) -> None:
        self.texts.clear()
        then = " Starting again from the beginning." if event["will_retry"] else ""
        self.console.print(f"[yellow]{escape(event['failure']['message'])}{then}[/yellow]")

    def on_graph_planned(self, event: Json) -> None:
        nodes = event["graph"]["nodes"]
        self.console.print(
            f"[dim]graph[/dim] {len(nodes)} agents, {len(event['graph']['edges'])} edges"
        )

    def on_planner_asked(self, event: Json) -> None:
        again = "asked again" if event["ordinal"] > 1 else "divides the question"
        self.console.print(f"[dim]planner[/dim] {escape(event['endpoint'])} {again}")

    def on_plan_rejected(self, event: Json) -> None:
        self.console.print(f"[yellow]plan rejected:[/yellow] {escape(event['problem'])}")

    def on_subtasks_planned(self, event: Json) -> None:
        for subtask in event["task_graph"]["subtasks"]:
            needs = f"  [dim]after {', '.join(subtask['depends_on'])}[/dim]"
            self.console.print(
                f"[dim]subtask[/dim] [bold]{escape(subtask['id'])}[/bold] "
                f"{escape(subtask['text'])}{needs if subtask['depends_on'] else ''}"
            )

    def on_script_read(self, event: Json) -> None:
        if event["problems"]:
            first = event["problems"][0]
            line = f"line {first['line']}: " if first.get("line") else ""
            told = escape(f"{line}{first['message']}")
            self.console.print(f"[yellow]script rejected:[/yellow] {told}")
        else:
            lines = len(event["script"].splitlines())
            self.console.print(f"[dim]script[/dim] {escape(event['shape'])}, {lines} lines")

    def on_block_called(self, event: Json) -> None:
        name = event["node"]["role"]["name"]
        self.console.print(f"[dim]line {event['line']} asks[/dim] {escape(name)}")

    def on_candidates_scored(self, event: Json) -> None:
        found = "  ".join(
            f"{escape(item['role_key'])} on {escape(item['endpoint'])} {item['score']:.2f}"
            for item in event["candidates"]
        )
        self.console.print(
            f"[dim]candidates for[/dim] {escape(event['subtask'])}   [dim]{found}[/dim]"
        )

    def on_subtask_answered(self, event: Json) -> None:
        judged = {True: " · right", False: " · wrong", None: ""}[event.get("correct")]
        answer = "no answer" if event["answer"] is None else event["answer"]
        self.console.print(
            f"[dim]answer of[/dim] {escape(event['subtask'])}: {escape(answer)}{judged}"
        )

    def on_node_sampled(self, event: Json) -> None:
        if event["kind"] == "add":  # its edges are told before its own name is
            self.names[event["agent_id"]] = event["choice"]
        doing = " ".join(dict.fromkeys((event["kind"], event["choice"].lower())))
        allowed = [item for item in event["candidates"] if not item["masked"]]
        best = sorted(allowed, key=lambda item: -item["probability"])[:TOP]
        shares = "  ".join(f"{escape(i['action'])} {i['probability']:.0%}" for i in best)
        self.console.print(
            f"[dim]step {event['step']}[/dim] [bold]{escape(doing)}[/bold]   [dim]{shares}[/dim]"
        )

    def on_edges_sampled(self, event: Json) -> None:
        for item in event["candidates"]:
            if item["chosen"]:
                source, target = self._name(item["source"]), self._name(event["agent_id"])
                share = f"{item['probability']:.0%}"
                self.console.print(
                    f"       {escape(source)} → {escape(target)}  [dim]{share}[/dim]"
                )

    def on_revision_asked(self, event: Json) -> None:
        sender, target = self._name(event["sender"]), self._name(event["revises"])
        self.names[event["agent_id"]] = target
        self.console.print(
            f"       {escape(sender)} ↩ {escape(target)}  [dim]sent back for revision[/dim]"
        )

    def on_agent_started(self, event: Json) -> None:
        self.names[event["agent_id"]] = event["role_name"]
        self.texts[event["agent_id"]] = ""

    def on_tool_called(self, event: Json) -> None:
        arguments = escape(str(event["arguments"])[:160])
        self.console.print(f"       [magenta]{escape(event['tool'])}[/magenta] {arguments}")

    def on_tool_returned(self, event: Json) -> None:
        sign = "=" if event["ok"] else "✗"
        self.console.print(f"       [magenta]{sign}[/magenta] {escape(event['output'][:160])}")

    def on_agent_finished(self, event: Json) -> None:
        self.texts.pop(event["agent_id"], None)
        facts = [tokens(event["usage"]), f"{event['seconds']:.1f} s"]
        facts += [word for key, word in FACTS.items() if event.get(key)]
        name = escape(self._name(event["agent_id"]))
        self.console.print(f"  [cyan]{name}[/cyan] [dim]{' · '.join(facts)}[/dim]")
        message = event["message"].strip()
        cut = "…" if len(message) > MESSAGE_CHARS else ""
        self.console.print(Text(f"    {message[:MESSAGE_CHARS]}{cut}".replace("\n", "\n    ")))

    def on_agent_failed(self, event: Json) -> None:
        self.texts.pop(event["agent_id"], None)
        name = escape(self._name(event["agent_id"]))
        self.console.print(f"  [red]{name} failed:[/red] {escape(event['failure']['message'])}")

    def end(self, run: Json) -> None:
        """The last lines: the answer or the cause, then tokens and seconds."""
        run = printable(run)
        failure = run.get("failure")
        if failure:
            said = f"{failure['message']} {failure.get('remedy', '')}".strip()
            self.console.print(f"[red]{escape(said)}[/red]")
        elif run["status"] == "cancelled":
            self.console.print("[yellow]The run was cancelled.[/yellow]")
        else:
            answer = run["answer"] if run["answer"] is not None else "No answer"
            self.console.print(Text.assemble(("Answer  ", "bold green"), str(answer)))
        seconds = "—" if run["seconds"] is None else f"{run['seconds']:.1f} s"
        self.console.print(f"[dim]{tokens(run['usage'])} · {seconds}[/dim]")


def tokens(usage: Json) -> str:
    """Prompt and completion tokens; an unknown count is a dash, never 0."""
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    shown = ["—" if count is None else f"{count:,}" for count in (prompt, completion)]
    return f"{shown[0]} + {shown[1]} tokens"


def result(run: Json) -> Json:
    """What `ask --json` prints."""
    graph = run.get("graph") or {"nodes": [], "edges": []}
    return {
        "run_id": run["id"],
        "status": run["status"],
        "method": run["method"],
        "answer": run["answer"],
        "graph": {"nodes": graph["nodes"], "edges": graph["edges"]},
        "tokens": {
            "prompt": run["usage"]["prompt_tokens"],
            "completion": run["usage"]["completion_tokens"],
        },
        "seconds": run["seconds"],
    }
