from django.urls import path

from apps.roles import api

urlpatterns = [
    path("tools", api.ToolsView.as_view()),
    path("pools", api.PoolsView.as_view()),
    path("pools/import", api.PoolImportView.as_view()),
    path("pools/<slug:key>", api.PoolView.as_view()),
    path("pools/<slug:key>/export", api.PoolExportView.as_view()),
    path("pools/<slug:key>/roles", api.RolesView.as_view()),
    path("pools/<slug:key>/roles/<slug:role>", api.RoleView.as_view()),
]
