"""Views that anyone may read, and that only operators or curators may write through."""

from rest_framework.views import APIView

from apps.accounts.permissions import CuratorWrites, OperatorWrites


# Without docstrings: the API's document would repeat them at every address.
class OperatorView(APIView):
    permission_classes = (OperatorWrites,)


class CuratorView(APIView):
    permission_classes = (CuratorWrites,)
