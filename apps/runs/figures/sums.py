"""SQL that all figures share."""

# What some kind of agent, such as those of a role, did is read in two steps: several of the kind
# may be in a run, which has one verdict, so agents `a` are first put together by run.
SUMS_OF_A_RUN = """
        count(*) AS agents,
        count(*) FILTER (WHERE a.outcome = 'refused') AS refused,
        count(*) FILTER (WHERE a.outcome = 'failed') AS failed,
        sum(a.prompt_tokens + a.completion_tokens) AS tokens,
        count(a.prompt_tokens + a.completion_tokens) AS counted,
        sum(a.cost) AS cost,
        count(a.cost) AS priced,
        sum(a.seconds) AS seconds"""
FIGURES = """
        count(*) AS runs,
        sum(agents)::bigint AS agents,
        sum(refused)::bigint AS refused,
        sum(failed)::bigint AS failed,
        count(correct) AS judged,
        count(*) FILTER (WHERE correct) AS correct,
        (sum(tokens) / NULLIF(sum(counted), 0))::float8 AS tokens,
        sum(cost) / NULLIF(sum(priced), 0) AS cost,
        sum(seconds) / NULLIF(sum(agents), 0)::float8 AS seconds"""
"""The fields of `Figures`, in their order."""
