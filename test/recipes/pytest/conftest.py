"""A world of the emulator for each test, with nothing but the standard library.

The emulator is the one that CLOUDEMU_URL names, else one that is started for the session.
"""

import json
import os
import pathlib
import subprocess
import urllib.request

import pytest


def call(method, url, body=None, headers=None):
    """Sends JSON and returns the answer's JSON. Errors of the platform are urllib's HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers or {}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class World:
    def __init__(self, emulator, label):
        self.emulator = emulator
        made = self.control("POST", "/worlds", {"label": label}, emulator)
        self.id = made["id"]
        self.api_key = made["apiKey"]
        self.url = f"{emulator}/w/{self.id}"

    def control(self, method, path, body=None, base=None):
        """Calls a door of the control plane: world.control("POST", "/clock/advance", {"by": "10m"})"""
        token = os.environ.get("CLOUDEMU_CONTROL_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return call(method, f"{base or self.url}/_emulator{path}", body, headers)

    def api(self, method, path, body=None):
        """Calls the platform with the world's key."""
        return call(method, self.url + path, body, {"Authorization": f"Bearer {self.api_key}"})

    def finish(self, failed):
        """Ends the world, or keeps it where something went wrong; returns the report, and whether all is well."""
        report = self.control("GET", "/report")
        kept = None
        if failed or not report["ok"]:
            report = self.control("POST", "/keep")
            kept = report["kept"]
        if kept != "world":
            self.control("DELETE", f"/worlds/{self.id}", base=self.emulator)
        return report["text"], report["ok"] and not failed


@pytest.fixture(scope="session")
def emulator():
    if os.environ.get("CLOUDEMU_URL"):
        yield os.environ["CLOUDEMU_URL"].rstrip("/")
        return
    # The project is found from this file on upwards, wherever pytest was started; its settings and scenarios count.
    here = pathlib.Path(__file__).resolve()
    project = next((one for one in here.parents if (one / "node_modules/.bin/cloudemu").exists()), None)
    if project is None:
        pytest.exit("cloudemu is not installed above this file: npm i -D cloudemu, or set CLOUDEMU_URL", 2)
    # Not through npx, which would not pass on that it shall end.
    command = [project / "node_modules/.bin/cloudemu", "start", "--ephemeral", "--port", "0", "--json", "--quiet"]
    command += ["--receipt", ".cloudemu/receipt.json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=project) as process:
        started = json.loads(process.stdout.readline())
        if "error" in started:
            pytest.exit(started["error"]["message"], 2)
        yield started["url"]
        process.terminate()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.when == "call":
        item.has_failed = report.failed


@pytest.fixture
def world(emulator, request):
    # Its ids follow from the label: they are the same each time the test runs, so that a failure comes again.
    world = World(emulator, request.node.nodeid)
    yield world
    failed = getattr(request.node, "has_failed", False)
    text, is_well = world.finish(failed)
    if failed:
        print(text)
    elif not is_well:
        pytest.fail("The client did wrong:\n" + text, pytrace=False)
