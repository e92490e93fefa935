from django.urls import path

from apps.designs.api import files, views

urlpatterns = [
    path("designs", views.DesignsView.as_view()),
    path("designs/check", views.DesignCheckView.as_view()),
    path("designs/turn", views.DesignTurnView.as_view()),
    path("designs/import", files.DesignImportView.as_view()),
    path("designs/<uuid:design_id>", views.DesignView.as_view()),
    path("designs/<uuid:design_id>/revision", views.DesignRevisionView.as_view()),
    path("designs/<uuid:design_id>/export", files.DesignExportView.as_view()),
    path("designs/<uuid:design_id>/export/left-out", files.DesignLeftOutView.as_view()),
    path("designs/<uuid:design_id>/versions", views.DesignVersionsView.as_view()),
    path("designs/<uuid:design_id>/versions/<int:number>", views.DesignVersionView.as_view()),
    path(
        "designs/<uuid:design_id>/versions/<int:number>/restore", views.DesignRestoreView.as_view()
    ),
]
