"""Limits searches at once: each one waits in a thread of the web process until a worker has
embedded its text."""

from django.utils.translation import gettext_lazy

from apps.common.under_way import UnderWay

SEARCHES_PER_USER = 4

searches = UnderWay(
    gettext_lazy("You have %(limit)s searches in progress, which is the limit."),
    code="too_many_searches",
    remedy=gettext_lazy("Wait until one of them has finished."),
)
