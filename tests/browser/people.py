"""One user per group, with what a test logs in with."""

import json
from datetime import timedelta
from pathlib import Path

LINKS = 3
PASSWORD = "a long walk by the river"


def write(path: str) -> None:
    """Make them. The file will hold `{group: {"password", "token", "links": [path, …]}}`."""
    from django.contrib.auth.models import Group
    from django.utils import timezone

    from apps.accounts import services
    from apps.accounts.models import GROUPS, User

    people = {}
    for group in GROUPS:
        user = User.objects.create_user(username=f"test-{group}", password=PASSWORD)
        user.groups.add(Group.objects.get(name=group))
        _, token = services.token_create(
            user=user,
            name="browser tests",
            scopes=["read", "run", "curate"],
            expires_at=timezone.now() + timedelta(days=1),
        )
        links = [services.login_link_create(user=user) for _ in range(LINKS)]
        people[group] = {"password": PASSWORD, "token": token, "links": links}
    Path(path).write_text(json.dumps(people))
