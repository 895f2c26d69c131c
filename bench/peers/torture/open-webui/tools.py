"""The kit's tools, as a tool of Open WebUI."""

from kit import kit


class Tools:
    async def lookup(self, key: str) -> str:
        """
        Looks it up.
        :param key: What to look up.
        """
        return await kit("lookup", key)

    async def fail(self, key: str) -> str:
        """
        Fails.
        :param key: What to fail with.
        """
        return await kit("fail", key)

    async def send(self, key: str) -> str:
        """
        Sends it.
        :param key: What to send.
        """
        return await kit("send", key)
