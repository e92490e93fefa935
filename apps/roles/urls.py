from django.urls import path

from apps.roles.api import files, findings, pools, roles, versions

urlpatterns = [
    path("tools", roles.ToolsView.as_view()),
    path("pools", pools.PoolsView.as_view()),
    path("pools/import", files.PoolImportView.as_view()),
    path("pools/<slug:key>", pools.PoolView.as_view()),
    path("pools/<slug:key>/clone", pools.PoolCloneView.as_view()),
    path("pools/<slug:key>/export", files.PoolExportView.as_view()),
    path("pools/<slug:key>/publish", versions.PoolPublishView.as_view()),
    path("pools/<slug:key>/discard", versions.PoolDiscardView.as_view()),
    path("pools/<slug:key>/diff", versions.PoolDiffView.as_view()),
    path("pools/<slug:key>/duplicates", findings.PoolDuplicatesView.as_view()),
    path("pools/<slug:key>/usage", findings.PoolUsageView.as_view()),
    path("pools/<slug:key>/versions", versions.PoolVersionsView.as_view()),
    path("pools/<slug:key>/versions/<int:version>", versions.PoolVersionView.as_view()),
    path("pools/<slug:key>/versions/<int:version>/restore", versions.PoolRestoreView.as_view()),
    path("pools/<slug:key>/roles", roles.RolesView.as_view()),
    path("pools/<slug:key>/roles/<slug:role>", roles.RoleView.as_view()),
]
