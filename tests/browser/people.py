"""Run once in a process of its own: one user per group, with what a test logs in with.

Prints `{group: {"password", "token", "links": [path, …]}}` as its last line.
"""

import json
from datetime import timedelta

import django

LINKS = 3
PASSWORD = "a long walk by the river"


def main() -> None:
    django.setup()
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
    print(json.dumps(people))


if __name__ == "__main__":
    main()
