"""The live statistics set to others: the history says so and goes on."""

import pytest

from apps.accounts.tests.cast import AsUser
from apps.agents.history import reward_curve
from apps.agents.models import AgentProfile
from apps.agents.restoring import profiles_restore
from apps.agents.tests.profiles import make_profiles, record
from apps.common.errors import ApplicationError
from workers.core.agents.database import AgentKey, Statistics

pytestmark = pytest.mark.django_db
KNOWN = {AgentKey("one", "e"): Statistics(0.5, 0.25, 2), AgentKey("one", "gone"): Statistics()}


def test_a_pool_has_what_is_given_and_knows_nothing_else() -> None:
    one, two, three = make_profiles(("one", "two", "three"))
    record(one, 1.0, 1.0, 1.0)
    record(two, 1.0)
    restored = profiles_restore(pool_key="p", known=KNOWN, source="c", by="ada")
    assert (restored.agents, restored.changed, restored.cleared) == (3, 2, 1)
    assert (restored.new, restored.gone) == (0, 1)
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.reward, one.cost, one.count) == (0.5, 0.25, 2)
    assert (two.reward, two.cost, two.count) == (0.0, 0.0, 0)
    assert not three.rewards.exists()
    assert profiles_restore(pool_key="p", known=KNOWN, source="c", by="ada").changed == 0


def test_its_history_goes_on_from_there_with_no_number_twice(as_user: AsUser) -> None:
    [one] = make_profiles(("one",))
    record(one, 1.0, 1.0, 1.0)
    profiles_restore(pool_key="p", known=KNOWN, source="c", by="ada")
    record(one, 1.0)
    rows = reward_curve(one.pk)
    assert [row.number for row in rows] == [1, 2, 3, 4, 5]
    assert [row.count for row in rows] == [1, 2, 3, 2, 3]
    assert [row.restored_from for row in rows] == ["", "", "", "c", ""]
    assert rows[-1].mean_reward == pytest.approx(2 / 3)
    page = as_user("viewer").get(f"/api/agents/{one.pk}/history").json()["results"]
    told = page[1]
    assert (told["restored_from"], told["restored_by"], told["reward"]) == ("c", "ada", None)
    assert (told["mean_reward"], told["count"]) == (0.5, 2)


def test_agents_that_were_not_there_are_made() -> None:
    make_profiles(("one",))
    AgentProfile.objects.all().delete()
    restored = profiles_restore(pool_key="p", known=KNOWN, source="c", by="ada")
    assert (restored.new, restored.changed) == (1, 1)
    assert AgentProfile.objects.get().count == 2


def test_of_another_pool_nothing_is_restored() -> None:
    [one] = make_profiles(("one",))
    record(one, 1.0)
    other = {AgentKey("other", "e"): Statistics(1.0, 0.0, 1)}
    with pytest.raises(ApplicationError) as refused:
        profiles_restore(pool_key="p", known=other, source="c", by="ada")
    assert (refused.value.code, refused.value.status_code) == ("no_agent_in_common", 409)
    one.refresh_from_db()
    assert one.count == 1
