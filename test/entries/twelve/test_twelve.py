import json
import pathlib
import urllib.error
import urllib.request

import pytest

HERE = pathlib.Path(__file__).parent
CASES = json.loads((HERE / "cases.json").read_text())
BODIES = {
    "container": {"name": "Shop", "project_name": "shop", "ecr_image_uri": "registry.local/shop:v1"},
    "empty": {},
}


def send(url, method, headers, body):
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(world, case):
    answers = []
    id = ""
    for one in case["requests"]:
        own = {"Authorization": f"Bearer {world.api_key}"}
        headers = {"own": own, "wrong": {"Authorization": "Bearer wrong"}, "none": {}}[one.get("key", "own")]
        body = json.dumps(BODIES[one["body"]]).encode() if "body" in one else None
        if body is not None:
            headers = {**headers, "Content-Type": "application/json"}
        path = one["path"].replace("{id}", id)
        status, answer = send(world.url + path, one.get("method", "GET"), headers, body)
        data = answer.get("data")
        id = data.get("id", id) if isinstance(data, dict) else id
        answers.append(" ".join([str(status), *sorted(answer)]))
    noted = {"name": case["name"], "prefix": world.api_key.split("_")[0], "answers": answers}
    with (HERE / "noted.jsonl").open("a") as file:
        file.write(json.dumps(noted) + "\n")
    assert noted["prefix"] == "eliza"
