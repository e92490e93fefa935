"""Pages that check for robots are recognised. Articles about such checks are read as articles."""

import time

import pytest

from workers.core.tools.challenges import is_challenge, is_challenge_html

CLOUDFLARE = b"""<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
<style>*{box-sizing:border-box}</style></head><body><div class="main-wrapper"><div>
<h1>rivers.example</h1><p>Verify you are human by completing the action below.</p>
<noscript><div>Enable JavaScript and cookies to continue</div></noscript>
<p>rivers.example needs to review the security of your connection before proceeding.</p>
<div>Ray ID: 8f0a1b2c</div></div></div><script>(function(){window._cf_chl_opt = {a: '<b>'}})()
</script></body></html>"""
ARTICLE = (
    "<!DOCTYPE html><title>CAPTCHA</title><article><h1>CAPTCHA</h1><p>A CAPTCHA is a "
    "challenge–response test that tells people from programs. The term was coined in 2003. A page "
    "in front of a site says “Just a moment…” and asks its visitor to verify that they are human: "
    "a visitor who can complete the CAPTCHA goes on to the site. One common form shows distorted "
    "letters, another one asks for all pictures with a traffic light.</p><p>People with poor sight "
    "can’t solve the first kind, so many sites offer one to listen to.</p></article>"
).encode()


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Just a moment…", "To go on, complete the CAPTCHA."),
        ("rivers.example", "Just a moment… Please complete the CAPTCHA."),
        ("Just a moment...", ""),
        ("Just a moment...", "Enable JavaScript and cookies to continue"),
        ("rivers.example", "Please enable JS and disable any ad blocker"),
        ("Bloomberg - Are you a robot?", "Please verify that you're not a robot. " * 9),
        (
            "https://www.google.com/search?q=a",
            "Our systems have detected unusual traffic from your computer network. This page "
            "checks to see if it's really you sending the requests, and not a robot. " * 5,
        ),
        (
            "Attention Required! | Cloudflare",
            "Please complete the security check to access rivers.example. " + "Why? " * 99,
        ),
    ],
)
def test_a_check_is_known(title: str, text: str) -> None:
    assert is_challenge(title, text)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Just a Moment", "“Just a Moment” is a song by Nas, from his album God's Son."),
        ("Just a moment...", "“Just a moment...” is the title of a song of 2003."),
        ("CAPTCHA", "A CAPTCHA is a test of whether a user is human. It deters bots and spam."),
        ("Are You Human?", "Are You Human? is a play of 2014."),
        ("Contact", "Name, e-mail, message. This site is protected by reCAPTCHA."),
        ("Just a moment...", "Enable JavaScript and cookies to continue. " + "word " * 400),
        ("", ""),
    ],
)
def test_an_article_passes(title: str, text: str) -> None:
    assert not is_challenge(title, text)


def test_pages_as_servers_send_them() -> None:
    assert is_challenge_html(CLOUDFLARE)
    assert not is_challenge_html(ARTICLE)
    assert not is_challenge_html(CLOUDFLARE + b" " * 200_000)
    script = b"<title>Rivers</title><p>The Elbe.<script>say('solve the captcha')</script>"
    assert not is_challenge_html(script)


@pytest.mark.parametrize("part", [b"<script>", b"<!--", b"<", b"<a ", b"<title>"])
def test_a_page_can_not_slow_it_down(part: bytes) -> None:
    began = time.process_time()
    is_challenge_html(part * (200_000 // len(part)))
    assert time.process_time() - began < 2
