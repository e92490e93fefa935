from django.urls import path

from apps.agents.api import views

urlpatterns = [
    path("agents", views.AgentsView.as_view()),
    path("agents/curves", views.AgentsCurvesView.as_view()),
    path("agents/fill", views.AgentsFillView.as_view()),
    path("agents/statistics", views.AgentStatisticsView.as_view()),
    path("agents/<int:pk>", views.AgentView.as_view()),
    path("agents/<int:pk>/usage", views.AgentUsageView.as_view()),
    path("agents/<int:pk>/history", views.AgentHistoryView.as_view()),
    path("agents/<int:pk>/history/curve", views.AgentCurveView.as_view()),
]
