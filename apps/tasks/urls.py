from django.urls import path

from apps.tasks import api, uploads_api

urlpatterns = [
    path("uploads", uploads_api.UploadsView.as_view()),
    path("uploads/<uuid:upload_id>", uploads_api.UploadView.as_view()),
    path("benchmarks", api.BenchmarksView.as_view()),
    path("games", api.GamesView.as_view()),
    path("games/<slug:key>/episodes", api.EpisodesView.as_view()),
    path("questions", api.QuestionsView.as_view()),
    path("datasets", api.DatasetsView.as_view()),
    path("datasets/<slug:key>", api.DatasetView.as_view()),
    path("datasets/imports/<uuid:import_id>", api.ImportUnderWayView.as_view()),
    path("datasets/<slug:key>/import", api.DatasetImportView.as_view()),
    path("datasets/<slug:key>/import/columns", api.DatasetColumnsView.as_view()),
    path("datasets/<slug:key>/compose", api.DatasetComposeView.as_view()),
    path("datasets/<slug:key>/tasks", api.TasksView.as_view()),
    path("datasets/<slug:key>/tasks/<int:task_id>", api.TaskView.as_view()),
]
