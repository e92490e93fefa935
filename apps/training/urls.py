from django.urls import path

from apps.training.api import branches, curves, designs, jobs, selections

urlpatterns = [
    path("training/methods", jobs.MethodsView.as_view()),
    path("training/methods/<slug:method>/datasets", jobs.TeamsView.as_view()),
    path("training/models", jobs.ModelsView.as_view()),
    path("training-jobs", jobs.JobsView.as_view()),
    path("training-jobs/memory", jobs.MemoryView.as_view()),
    path("training-jobs/<uuid:job_id>", jobs.JobView.as_view()),
    path("training-jobs/<uuid:job_id>/pause", jobs.JobPauseView.as_view()),
    path("training-jobs/<uuid:job_id>/resume", jobs.JobResumeView.as_view()),
    path("training-jobs/<uuid:job_id>/cancel", jobs.JobCancelView.as_view()),
    path("training-jobs/<uuid:job_id>/metrics", curves.MetricsView.as_view()),
    path("training-jobs/<uuid:job_id>/samples", curves.SamplesView.as_view()),
    path("training-jobs/<uuid:job_id>/samples/<int:sample_id>", curves.SampleView.as_view()),
    path("training-jobs/<uuid:job_id>/selections", selections.SelectionsView.as_view()),
    path("training-jobs/<uuid:job_id>/branches", branches.BranchStepsView.as_view()),
    path("training-jobs/<uuid:job_id>/branches/<int:step>", branches.BranchGroupsView.as_view()),
    path("training-jobs/<uuid:job_id>/branches/<int:step>/file", branches.BranchFileView.as_view()),
    path(
        "training-jobs/<uuid:job_id>/branches/<int:step>/<int:episode>/<slug:agent>/<int:turn>",
        branches.BranchGroupView.as_view(),
    ),
    path("training-jobs/<uuid:job_id>/designs", designs.DesignsView.as_view()),
    path("training-jobs/<uuid:job_id>/designs/steps", designs.DesignStepsView.as_view()),
    path("training-jobs/<uuid:job_id>/designs/execution", designs.DesignExecutionView.as_view()),
]
