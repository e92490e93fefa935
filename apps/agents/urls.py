from django.urls import path

from apps.agents import api

urlpatterns = [
    path("agents", api.AgentsView.as_view()),
    path("agents/statistics", api.AgentStatisticsView.as_view()),
    path("agents/<int:pk>", api.AgentView.as_view()),
]
