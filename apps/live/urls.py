from django.urls import path

from apps.live import endpoint

urlpatterns = [
    path("runs/<uuid:run_id>/events", endpoint.EventsView.as_view()),
    path("events", endpoint.MultiplexedEventsView.as_view()),
]
