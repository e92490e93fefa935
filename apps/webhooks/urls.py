from django.urls import path

from apps.webhooks import api

urlpatterns = [
    path("webhooks", api.WebhooksView.as_view()),
    path("webhooks/<uuid:webhook_id>", api.WebhookView.as_view()),
    path("webhooks/<uuid:webhook_id>/rotate", api.RotateView.as_view()),
    path("webhooks/<uuid:webhook_id>/test", api.TestView.as_view()),
    path("webhooks/<uuid:webhook_id>/deliveries", api.DeliveriesView.as_view()),
    path(
        "webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/resend", api.ResendView.as_view()
    ),
]
