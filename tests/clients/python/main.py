"""Exercises an API server with the official Python client and says what it saw, a JSON line a check."""

import json
import os
import sys
import tempfile
import threading
import traceback

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.dynamic.exceptions import NotFoundError

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tools.python.example.com"},
    "spec": {
        "group": "python.example.com",
        "scope": "Namespaced",
        "names": {"plural": "tools", "singular": "tool", "kind": "Tool", "listKind": "ToolList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}

MANIFESTS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: from-yaml}
data: {a: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: from-yaml}
spec:
  replicas: 2
  selector: {matchLabels: {app: y}}
  template:
    metadata: {labels: {app: y}}
    spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: from-list}, stringData: {k: v}}
"""

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def refused(status, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except ApiException as error:
        assert error.status == status, f"refused with {error.status}: {error.body}"
        return json.loads(error.body)
    raise AssertionError("was not refused")


@check
def typed_verbs(namespace):
    core = client.CoreV1Api()
    made = core.create_namespaced_config_map(
        namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a", labels={"l": "1"}), data={"k": "v"})
    )
    made.data["k"] = "w"
    updated = core.replace_namespaced_config_map("a", namespace, made)
    assert updated.data == {"k": "w"}, updated
    patched = core.patch_namespaced_config_map("a", namespace, {"data": {"x": "y"}})
    assert patched.data == {"k": "w", "x": "y"}, patched
    json_patched = core.patch_namespaced_config_map("a", namespace, [{"op": "remove", "path": "/data/x"}])
    assert json_patched.data == {"k": "w"}, json_patched
    assert refused(409, core.replace_namespaced_config_map, "a", namespace, made)["reason"] == "Conflict"
    assert len(core.list_namespaced_config_map(namespace, label_selector="l=1").items) == 1
    core.delete_namespaced_config_map("a", namespace)
    assert refused(404, core.read_namespaced_config_map, "a", namespace)["reason"] == "NotFound"


@check
def server_side_apply(namespace):
    core = client.CoreV1Api()
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1"}}
    apply = {"_content_type": "application/apply-patch+yaml"}
    core.patch_namespaced_config_map("applied", namespace, body, field_manager="one", **apply)
    body["data"]["a"] = "2"
    problem = refused(409, core.patch_namespaced_config_map, "applied", namespace, body, field_manager="two", **apply)
    assert problem["details"]["causes"][0]["field"] == ".data.a", problem
    forced = core.patch_namespaced_config_map("applied", namespace, body, field_manager="two", force=True, **apply)
    assert forced.data == {"a": "2"}, forced


@check
def workloads(namespace):
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(
        namespace,
        client.V1Deployment(
            metadata=client.V1ObjectMeta(name="web"),
            spec=client.V1DeploymentSpec(
                selector=client.V1LabelSelector(match_labels={"a": "b"}),
                template=client.V1PodTemplateSpec(
                    metadata=client.V1ObjectMeta(labels={"a": "b"}),
                    spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="i")]),
                ),
            ),
        ),
    )
    scale = apps.read_namespaced_deployment_scale("web", namespace)
    scale.spec.replicas = 3
    assert apps.replace_namespaced_deployment_scale("web", namespace, scale).spec.replicas == 3
    status = apps.patch_namespaced_deployment_status("web", namespace, {"status": {"observedGeneration": 2}})
    assert (status.spec.replicas, status.status.observed_generation) == (3, 2), status
    batch = client.BatchV1Api()
    batch.create_namespaced_job(
        namespace,
        client.V1Job(
            metadata=client.V1ObjectMeta(name="once"),
            spec=client.V1JobSpec(
                template=client.V1PodTemplateSpec(
                    spec=client.V1PodSpec(restart_policy="Never", containers=[client.V1Container(name="c", image="i")])
                )
            ),
        ),
    )
    batch.delete_namespaced_job("once", namespace, propagation_policy="Background")


@check
def watching(namespace):
    core = client.CoreV1Api()
    version = core.list_namespaced_secret(namespace).metadata.resource_version

    def write():
        core.create_namespaced_secret(namespace, client.V1Secret(metadata=client.V1ObjectMeta(name="s")))
        core.patch_namespaced_secret("s", namespace, {"stringData": {"a": "b"}})
        core.delete_namespaced_secret("s", namespace)

    thread = threading.Thread(target=write)
    thread.start()
    seen = []
    stream = watch.Watch()
    for event in stream.stream(
        core.list_namespaced_secret, namespace, resource_version=version, field_selector="metadata.name=s", timeout_seconds=10
    ):
        seen.append(event["type"])
        if event["type"] == "DELETED":
            stream.stop()
    thread.join()
    assert seen == ["ADDED", "MODIFIED", "DELETED"], seen


@check
def paging(namespace):
    core = client.CoreV1Api()
    for number in range(7):
        core.create_namespaced_config_map(
            namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"page-{number}", labels={"page": "yes"}))
        )
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(namespace, limit=3, _continue=token, label_selector="page=yes")
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"page-{number}" for number in range(7)], names
    core.delete_collection_namespaced_config_map(namespace, label_selector="page=yes")
    assert core.list_namespaced_config_map(namespace, label_selector="page=yes").items == []


@check
def custom_objects(namespace):
    extensions = client.ApiextensionsV1Api()
    name = CRD["metadata"]["name"]
    extensions.create_custom_resource_definition(CRD)
    stream = watch.Watch()
    for event in stream.stream(
        extensions.list_custom_resource_definition, field_selector=f"metadata.name={name}", timeout_seconds=20
    ):
        conditions = event["object"].status.conditions or []
        if any(one.type == "Established" and one.status == "True" for one in conditions):
            stream.stop()
    custom = client.CustomObjectsApi()
    kind = ("python.example.com", "v1", namespace, "tools")
    custom.create_namespaced_custom_object(
        *kind, {"apiVersion": "python.example.com/v1", "kind": "Tool", "metadata": {"name": "t"}, "spec": {"size": 1, "no": 2}}
    )
    patched = custom.patch_namespaced_custom_object(*kind, "t", {"spec": {"size": 4}})
    assert patched["spec"] == {"size": 4}, patched
    status = custom.patch_namespaced_custom_object_status(*kind, "t", {"status": {"phase": "Ready"}})
    assert status["status"] == {"phase": "Ready"}, status
    assert len(custom.list_namespaced_custom_object(*kind)["items"]) == 1
    assert len(custom.list_cluster_custom_object("python.example.com", "v1", "tools")["items"]) == 1
    refused(422, custom.patch_namespaced_custom_object, *kind, "t", {"spec": {"size": "large"}})
    custom.delete_namespaced_custom_object(*kind, "t")


@check
def dynamic_client(namespace):
    found = dynamic.DynamicClient(client.ApiClient())
    maps = found.resources.get(api_version="v1", kind="ConfigMap")
    maps.create(body={"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "dyn"}, "data": {"a": "b"}}, namespace=namespace)
    patched = maps.patch(name="dyn", namespace=namespace, body={"data": {"c": "d"}}, content_type="application/merge-patch+json")
    assert patched.data.to_dict() == {"a": "b", "c": "d"}, patched
    applied = maps.server_side_apply(
        namespace=namespace, body={"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "dyn2"}, "data": {"a": "b"}}, field_manager="py"
    )
    assert applied.metadata.managedFields[0].manager == "py", applied
    for event in maps.watch(namespace=namespace, field_selector="metadata.name=dyn", timeout=5):
        assert event["type"] == "ADDED", event
        break
    tools = found.resources.get(api_version="python.example.com/v1", kind="Tool")
    assert tools.get(namespace=namespace).items == []
    assert found.resources.get(api_version="apps/v1", kind="Deployment").namespaced
    maps.delete(name="dyn", namespace=namespace)
    try:
        maps.get(name="dyn", namespace=namespace)
    except NotFoundError:
        return
    raise AssertionError("still there")


@check
def create_from_yaml(namespace):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(MANIFESTS)
        file.flush()
        utils.create_from_yaml(client.ApiClient(), file.name, namespace=namespace)
        utils.create_from_yaml(client.ApiClient(), file.name, namespace=namespace, apply=True)
    assert client.CoreV1Api().read_namespaced_secret("from-list", namespace).data == {"k": "dg=="}
    assert client.AppsV1Api().read_namespaced_deployment("from-yaml", namespace).spec.replicas == 2


@check
def access(namespace):
    core = client.CoreV1Api()
    core.create_namespaced_service_account(namespace, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    token = core.create_namespaced_service_account_token(
        "robot", namespace, client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600))
    ).status.token
    robot = client.Configuration.get_default_copy()
    robot.cert_file = robot.key_file = None
    robot.api_key = {"authorization": f"Bearer {token}"}
    with client.ApiClient(robot) as connection:
        who = client.AuthenticationV1Api(connection).create_self_subject_review(client.V1SelfSubjectReview())
        assert who.status.user_info.username == f"system:serviceaccount:{namespace}:robot", who
        refused(403, client.CoreV1Api(connection).list_namespaced_secret, namespace)


@check
def openapi_and_discovery(namespace):
    api = client.ApiClient()
    answer = api.call_api("GET", api.configuration.host + "/openapi/v2", header_params={"Accept": "application/json"})
    document = json.loads(answer.read())
    assert "io.k8s.api.core.v1.ConfigMap" in document["definitions"]
    assert "/api/v1/namespaces/{namespace}/configmaps" in document["paths"]
    assert client.VersionApi().get_code().major == "1"
    groups = [group.name for group in client.ApisApi().get_api_versions().groups]
    assert "apps" in groups and "python.example.com" in groups, groups
    kinds = [resource.kind for resource in client.CoreV1Api().get_api_resources().resources]
    assert "Pod" in kinds, kinds


def main():
    config.load_kube_config(os.environ["KUBECONFIG"])
    namespace = client.CoreV1Api().create_namespace(
        client.V1Namespace(metadata=client.V1ObjectMeta(generate_name="python-"))
    ).metadata.name
    failures = 0
    for function in CHECKS:
        line = {"check": function.__name__.replace("_", " ")}
        try:
            function(namespace)
        except Exception:
            failures += 1
            line["error"] = traceback.format_exc()
        print(json.dumps(line), flush=True)
    print(json.dumps({"done": len(CHECKS), "failures": failures}))
    sys.exit(1 if failures else 0)


main()
