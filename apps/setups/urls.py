from django.urls import path

from apps.setups.api import methods

urlpatterns = [path("methods", methods.MethodsView.as_view())]
