"""Uploads: send a file, so that a question can name it; take one back."""

from datetime import datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import user_of
from apps.accounts.views import OperatorView
from apps.common.errors import missing_is_404
from apps.common.serializers import valid
from apps.tasks.models import Upload
from apps.tasks.uploads import KEPT, check_size, upload_create, upload_delete
from workers.core.tools.attachments import FILE_MAX_BYTES


class UploadWantedSerializer(serializers.Serializer[dict[str, Any]]):
    file = serializers.FileField(allow_empty_file=True, max_length=1_000)


class UploadSerializer(serializers.ModelSerializer[Upload]):
    expires_at = serializers.SerializerMethodField(help_text="Until then questions may name it")

    class Meta:
        model = Upload
        fields = ("id", "name", "kind", "size", "expires_at")
        extra_kwargs = {  # noqa: RUF012  as DRF wants it
            "name": {"help_text": "As agents see it: some characters are replaced"},
            "kind": {"help_text": "PDF, DOCX, XLSX, PPTX, CSV, HTML, text or picture"},
            "size": {"help_text": "Bytes"},
        }

    def get_expires_at(self, upload: Upload) -> datetime:
        return upload.created_at + KEPT


class UploadsView(OperatorView):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        summary="Upload a file to attach to a question",
        description="One file a request, of at most "
        f"{FILE_MAX_BYTES / 1e6:.0f} MB. Name its id in `uploads` of a run. A file that no run "
        "uses is deleted after a day.",
        request={"multipart/form-data": UploadWantedSerializer},
        responses={201: UploadSerializer},
    )
    def post(self, request: Request) -> Response:
        file = valid(UploadWantedSerializer(data=request.data)).validated_data["file"]
        check_size(file.name, file.size)
        upload = upload_create(user=user_of(request), name=file.name, data=file.read())
        return Response(UploadSerializer(upload).data, status=status.HTTP_201_CREATED)


class UploadView(OperatorView):
    @extend_schema(
        summary="Take an upload back (your own)",
        description="Runs that were asked with it keep it.",
        responses={204: None},
    )
    def delete(self, request: Request, upload_id: UUID) -> Response:
        with missing_is_404(Upload.DoesNotExist):
            upload_delete(user=user_of(request), upload_id=upload_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
