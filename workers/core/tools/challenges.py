"""Recognises pages that a server shows to programs in place of what was asked, such as a CAPTCHA.

Only what such a page says to its visitor counts, and only on a short page: articles say much about
CAPTCHAs, and many ordinary pages carry their scripts. So a challenge in new words is missed, and an
article is not.
"""

import html
import re

CHALLENGED = "Its server takes the studio for a robot and shows a check, such as a CAPTCHA"
MOST_BYTES, MOST_CHARS, FEW_CHARS = 200_000, 1_500, 300
"""Of a challenge: its HTML, its text, and a text that says little else."""
_TITLES = re.compile(
    r"just a moment\.\.\.|attention required! \| cloudflare|ddos-guard|pardon our interruption"
    r"|access to this page has been denied|robot check|human verification|security check"
    r"|vercel security checkpoint|making sure you're not a bot!|one moment, please\.\.\."
    r"|client challenge|(.* - )?are you a robot\?"
)
_SENTENCES = (
    "enable javascript and cookies to continue",
    "verifying you are human",
    "verify you are human by completing the action below",
    "needs to review the security of your connection before proceeding",
    "checking if the site connection is secure",
    "performing security verification",
    "checking your browser before accessing",
    "please complete the security check to access",
    "completing the captcha proves you are a human",
    "sorry, you have been blocked",
    "please enable js and disable any ad blocker",
    "request unsuccessful. incapsula incident id",
    "something about your browser made us think you were a bot",
    "press & hold to confirm you are a human",
    "because we believe you are using automation tools",
    "our systems have detected unusual traffic from your computer network",
    "this page checks to see if it's really you sending the requests",
    "bots use duckduckgo too",
    "please complete the following challenge to confirm this search was made by a human",
    "enter the characters you see below",
    "sorry, we just need to make sure you're not a robot",
    "let's confirm you are human",
    "we're verifying your browser",
    "making sure you're not a bot!",
    "a required part of this site couldn't load",
    "please wait while your request is being verified",
)
"""Of Cloudflare, DataDome, Imperva, HUMAN, Google, DuckDuckGo, Amazon, Vercel, Anubis, Fastly and
Imunify."""
_ASKS = re.compile(
    r"\b(complete|solve) (the|this|a) captcha\b|\b(verify|confirm|prove) (that )?you('re| are) "
    r"(a )?(human|not a (robot|bot))\b|\bare you (a )?(human|robot)\?.*captcha"
)
_TAG = re.compile(r"<!--|-->|<(/?)([a-z][a-z0-9]*)[^<>]*>", re.IGNORECASE)
_UNSEEN = frozenset({"title", "script", "style"})


def is_challenge(title: str, text: str) -> bool:
    """`text`: what the page shows."""
    title, text = _plain(title), _plain(text)
    if len(text) > MOST_CHARS:
        return False
    sentences = sum(sentence in text for sentence in _SENTENCES)
    asks = sentences or _ASKS.search(text) is not None
    if _TITLES.fullmatch(title):
        return bool(asks) or not text
    return sentences > 1 or (bool(asks) and len(text) <= FEW_CHARS)


def is_challenge_html(body: bytes) -> bool:
    return len(body) <= MOST_BYTES and is_challenge(*_shown(body.decode(errors="replace")))


def _plain(text: str) -> str:
    told = text.replace("…", "...").replace("’", "'")
    return " ".join(told.split()).lower()


def _shown(page: str) -> tuple[str, str]:
    """Title and text, in one pass: a page may be made to slow a parser down."""
    parts: dict[str, list[str]] = {"": [], "title": []}
    inside, at = "", 0
    for tag in _TAG.finditer(page):
        parts.setdefault(inside, []).append(page[at : tag.start()])
        at = tag.end()
        name = (tag[2] or "!").lower()
        if inside:
            ends = tag[0] == "-->" if inside == "!" else bool(tag[1]) and name == inside
            inside = "" if ends else inside
        elif not tag[1] and (name in _UNSEEN or tag[0] == "<!--"):
            inside = name
    parts.setdefault(inside, []).append(page[at:])
    title, text = html.unescape("".join(parts["title"])), html.unescape(" ".join(parts[""]))
    return title, text
