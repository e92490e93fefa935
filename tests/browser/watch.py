"""What no page of ours may ever do, watched in every context of every test."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Request, WebError

# Chromium words its console message differently from version to version; the event is a standard.
REPORT_VIOLATIONS = """
addEventListener('securitypolicyviolation', (event) =>
  console.error('Content Security Policy', event.violatedDirective, event.blockedURI))
"""
LOCAL_SCHEMES = {"data", "blob"}


class Watch:
    """Requests to other hosts, dialogs, uncaught errors and violations of the content policy."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.host = urlsplit(origin).netloc
        self.problems: list[str] = []
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("request", self._request)
        context.on("console", self._console)
        context.on("dialog", self._dialog)
        context.on("weberror", self._error)

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in LOCAL_SCHEMES and address.netloc != self.host:
            self.problems.append(f"a request to another host: {request.url}")

    def _console(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.problems.append(message.text)

    def _dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _error(self, error: WebError) -> None:
        self.problems.append(f"an uncaught error: {error.error}")
