from django.urls import path

from apps.accounts.api import saved_views, session, tokens

urlpatterns = [
    path("auth/csrf", session.CsrfView.as_view()),
    path("auth/login", session.LoginView.as_view()),
    path("auth/logout", session.LogoutView.as_view()),
    path("me", session.MeView.as_view()),
    path("me/tokens", tokens.TokensView.as_view()),
    path("me/tokens/<uuid:token_id>", tokens.TokenView.as_view()),
    path("me/views", saved_views.SavedViewsView.as_view()),
    path("me/views/<uuid:view_id>", saved_views.SavedViewView.as_view()),
]
