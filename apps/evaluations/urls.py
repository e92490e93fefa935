from django.urls import path

from apps.evaluations.api import results, views

urlpatterns = [
    path("evaluations", views.EvaluationsView.as_view()),
    path("evaluations/<uuid:evaluation_id>", views.EvaluationView.as_view()),
    path("evaluations/<uuid:evaluation_id>/cancel", views.EvaluationCancelView.as_view()),
    path("evaluations/<uuid:evaluation_id>/resume", views.EvaluationResumeView.as_view()),
    path("evaluations/<uuid:evaluation_id>/summary", results.SummaryView.as_view()),
    path("evaluations/<uuid:evaluation_id>/rationality", results.RationalityView.as_view()),
    path("evaluations/<uuid:evaluation_id>/results", results.ResultsView.as_view()),
    path("evaluations/<uuid:evaluation_id>/compare", results.CompareView.as_view()),
    path("evaluations/<uuid:evaluation_id>/export", results.ExportView.as_view()),
]
