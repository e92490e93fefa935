from django.urls import path

from apps.llms import api

urlpatterns = [
    path("endpoints", api.EndpointsView.as_view()),
    path("endpoints/<slug:key>", api.EndpointView.as_view()),
    path("endpoints/<slug:key>/changes", api.EndpointChangesView.as_view()),
    path("endpoints/<slug:key>/test", api.EndpointTestView.as_view()),
]
