from django.urls import path

from apps.common.api import HealthView

urlpatterns = [path("health", HealthView.as_view())]
