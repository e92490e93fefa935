from django.urls import path

from apps.corpora.views import DocumentView, SearchView, StartView

urlpatterns = [
    path("corpus", StartView.as_view()),
    path("corpus/search", SearchView.as_view()),
    path("corpus/<slug:corpus>/<path:key>", DocumentView.as_view()),
]
