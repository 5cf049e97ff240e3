import urllib.error

import pytest

SHOP = {"name": "Shop", "project_name": "shop", "ecr_image_uri": "registry.local/shop:v1"}


def test_deploys_a_container_that_runs(world):
    created = world.api("POST", "/api/v1/containers", SHOP)
    world.control("POST", "/clock/advance", {"by": "10m"})
    container = world.api("GET", f"/api/v1/containers/{created['data']['id']}")
    assert container["data"]["status"] == "running"


def test_is_out_of_credits(world):
    [organization] = world.control("GET", "/organizations")["organizations"]
    world.control("POST", f"/organizations/{organization['id']}/credits", {"set": 0.1})
    with pytest.raises(urllib.error.HTTPError, match="402"):
        world.api("POST", "/api/v1/containers", SHOP)


def test_begins_with_nothing(world):
    assert world.api("GET", "/api/v1/containers")["data"] == []
