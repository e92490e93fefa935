from django.urls import path

from apps.accounts import api

urlpatterns = [
    path("auth/csrf", api.CsrfView.as_view()),
    path("auth/login", api.LoginView.as_view()),
    path("auth/logout", api.LogoutView.as_view()),
    path("me", api.MeView.as_view()),
    path("me/tokens", api.TokensView.as_view()),
    path("me/tokens/<uuid:token_id>", api.TokenView.as_view()),
    path("me/views", api.SavedViewsView.as_view()),
    path("me/views/<uuid:view_id>", api.SavedViewView.as_view()),
]
