from django.urls import path

from apps.runs.api import annotations, bulk, figures, files, pictures, shares, trying, views

urlpatterns = [
    path("agents/statistics", figures.AgentStatisticsView.as_view()),
    path("pools/<slug:key>/roles/<slug:role>/try", trying.RoleTryView.as_view()),
    path("runs", views.RunsView.as_view()),
    path("runs/bulk", bulk.ManyRunsView.as_view()),
    path("runs/labels", annotations.LabelsView.as_view()),
    path("runs/export", bulk.RunsExportView.as_view()),
    path("runs/<uuid:run_id>", views.RunView.as_view()),
    path("runs/<uuid:run_id>/cancel", views.RunCancelView.as_view()),
    path("runs/<uuid:run_id>/retry", views.RunRetryView.as_view()),
    path("runs/<uuid:run_id>/continue", views.RunContinueView.as_view()),
    path("runs/<uuid:run_id>/fork", views.RunForkView.as_view()),
    path("runs/<uuid:run_id>/files/<int:place>", files.RunFileView.as_view()),
    path("runs/<uuid:run_id>/annotation", annotations.AnnotationsView.as_view()),
    path("runs/<uuid:run_id>/pictures/<uuid:picture_id>", pictures.PictureView.as_view()),
    path("runs/<uuid:run_id>/shares", shares.SharesView.as_view()),
    path("runs/<uuid:run_id>/shares/<uuid:share_id>", shares.ShareView.as_view()),
    path("shared/<str:token>", shares.SharedRunView.as_view()),
    path("shared/<str:token>/events", shares.SharedEventsView.as_view()),
    path("shared/<str:token>/files/<int:place>", files.SharedFileView.as_view()),
    path("shared/<str:token>/pictures/<uuid:picture_id>", shares.SharedPictureView.as_view()),
]
