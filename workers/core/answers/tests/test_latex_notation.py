"""Unicode and plain words as LaTeX."""

import pytest

from workers.core.answers.latex_notation import latex_notation


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("√2", r"\sqrt{2}"),
        ("2√(x+1)", r"2\sqrt{x+1}"),
        ("∛8", r"\sqrt[3]{8}"),
        ("sqrt(2)", r"\sqrt{2}"),
        (r"\sqrt{2}", r"\sqrt{2}"),
        ("x²+y¹⁰", "x^{2}+y^{10}"),
        ("x⁻¹", "x^{-1}"),
        ("a₁", "a_{1}"),
        ("∞", r"\infty "),
        ("-oo", r"-\infty"),
        ("30°", r"30^\circ"),
        ("30 degrees", r"30^\circ"),
        ("2pi", r"2\pi "),
        ("2π", r"2\pi "),
        ("Δλ", r"\Delta \lambda "),
        (r"\pi", r"\pi"),
        ("spin", "spin"),
        ("x ≤ 5", r"x \le  5"),
        ("1½", r"1 \frac{1}{2}"),
        (r"0.\overline{3}", r"\frac{1}{3}"),
        (r"1.2\bar{45}", r"\frac{137}{110}"),
        ("f(2.5)(3)", "f(2.5)(3)"),
    ],
)
def test_notation(written: str, meant: str) -> None:
    assert latex_notation(written) == meant
