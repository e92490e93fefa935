from django.urls import path

from apps.checkpoints.api import views

urlpatterns = [
    path("checkpoints", views.CheckpointsView.as_view()),
    path("checkpoints/<str:name>", views.CheckpointView.as_view()),
    path("checkpoints/<str:name>/promote", views.CheckpointPromoteView.as_view()),
]
