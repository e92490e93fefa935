from django.urls import path

from apps.training.api import agents, checkpoints, curves, jobs

urlpatterns = [
    path("training/methods", jobs.MethodsView.as_view()),
    path("training-jobs", jobs.JobsView.as_view()),
    path("training-jobs/<uuid:job_id>", jobs.JobView.as_view()),
    path("training-jobs/<uuid:job_id>/pause", jobs.JobPauseView.as_view()),
    path("training-jobs/<uuid:job_id>/resume", jobs.JobResumeView.as_view()),
    path("training-jobs/<uuid:job_id>/cancel", jobs.JobCancelView.as_view()),
    path("training-jobs/<uuid:job_id>/metrics", curves.MetricsView.as_view()),
    path("training-jobs/<uuid:job_id>/samples", curves.SamplesView.as_view()),
    path("training-jobs/<uuid:job_id>/samples/<int:sample_id>", curves.SampleView.as_view()),
    path("agents/search", agents.AgentsSearchView.as_view()),
    path("agents/snapshot", agents.AgentsSnapshotView.as_view()),
    path("agents/restore", agents.AgentsRestoreView.as_view()),
    path("agents/compare", agents.AgentsCompareView.as_view()),
    path("checkpoints", checkpoints.CheckpointsView.as_view()),
    path("checkpoints/<str:name>", checkpoints.CheckpointView.as_view()),
    path("checkpoints/<str:name>/promote", checkpoints.CheckpointPromoteView.as_view()),
]
