from django.urls import path

from apps.home import api

urlpatterns = [
    path("me/endings", api.EndingsView.as_view()),
    path("me/endings/seen", api.EndingsSeenView.as_view()),
]
