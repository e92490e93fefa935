from django.urls import path

from apps.agents.api import database, views

urlpatterns = [
    path("agents", views.AgentsView.as_view()),
    path("agents/curves", views.AgentsCurvesView.as_view()),
    path("agents/fill", views.AgentsFillView.as_view()),
    path("agents/search", database.AgentsSearchView.as_view()),
    path("agents/snapshot", database.AgentsSnapshotView.as_view()),
    path("agents/restore", database.AgentsRestoreView.as_view()),
    path("agents/compare", database.AgentsCompareView.as_view()),
    path("agents/<int:pk>", views.AgentView.as_view()),
    path("agents/<int:pk>/usage", views.AgentUsageView.as_view()),
    path("agents/<int:pk>/history", views.AgentHistoryView.as_view()),
    path("agents/<int:pk>/history/curve", views.AgentCurveView.as_view()),
]
