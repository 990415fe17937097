import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Exercises an API server with fabric8's client and says what it saw, a JSON line a check. */
public final class Main {
  private static final String NAMESPACE = "java";
  private static final long LIMIT_SECONDS = 40;
  private static int done = 0;

  private interface Check {
    void run() throws Exception;
  }

  public static void main(String[] arguments) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build()).create();
      check("reads the kubeconfig and its key", () -> same(client.getConfiguration().getClientKeyAlgo(), "EC"));
      check("create, read, replace and delete", () -> objects(maps(client)));
      check("lists by labels and in pages", () -> lists(maps(client)));
      check("server-side apply", () -> apply(maps(client)));
      check("a watch over WebSocket", () -> watch(maps(client)));
      check("a watch over a restart of the server", () -> resumed(maps(client)));
      check("an informer", () -> informer(client));
      check("waiting for a condition", () -> waits(maps(client)));
      check("workloads and their scale", () -> workloads(client));
      check("custom resources", () -> custom(client));
    }
    System.out.println("{\"done\":" + done + "}");
    // Threads of the client may still run.
    System.exit(0);
  }

  private static void check(String name, Check check) {
    done++;
    String error = "";
    try {
      check.run();
    } catch (Exception | AssertionError failure) {
      error = ",\"error\":" + quoted(String.valueOf(failure));
    }
    System.out.println("{\"check\":" + quoted(name) + error + "}");
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  private static void same(Object seen, Object expected) {
    if (!Objects.equals(seen, expected)) throw new AssertionError("got " + seen + ", want " + expected);
  }

  private static int codeOf(Runnable request) {
    try {
      request.run();
    } catch (KubernetesClientException refusal) {
      return refusal.getCode();
    }
    throw new AssertionError("the request was served");
  }

  private static NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps(KubernetesClient client) {
    return client.configMaps().inNamespace(NAMESPACE);
  }

  private static ConfigMap map(String name, String label, String value) {
    return new ConfigMapBuilder()
        .withNewMetadata().withName(name).addToLabels("for", label).endMetadata()
        .addToData("key", value)
        .build();
  }

  private static void objects(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps) {
    ConfigMap made = maps.resource(map("object", "objects", "1")).create();
    same(codeOf(() -> maps.resource(map("object", "objects", "1")).create()), 409);
    ConfigMap changed = new ConfigMapBuilder(made).addToData("key", "2").build();
    same(maps.resource(changed).update().getData().get("key"), "2");
    same(codeOf(() -> maps.resource(made).lockResourceVersion(made.getMetadata().getResourceVersion()).update()), 409);
    maps.withName("object").delete();
    same(maps.withName("object").get(), null);
  }

  private static void lists(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps) {
    for (int index = 0; index < 3; index++) maps.resource(map("list-" + index, "lists", "x")).create();
    same(maps.withLabel("for", "lists").list().getItems().size(), 3);
    maps.withLabel("for", "lists").delete();
    same(maps.withLabel("for", "lists").list().getItems().size(), 0);
  }

  private static void apply(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps) {
    ConfigMap applied = maps.resource(map("applied", "apply", "1")).serverSideApply();
    same(applied.getMetadata().getManagedFields().get(0).getOperation(), "Apply");
    same(maps.resource(map("applied", "apply", "2")).forceConflicts().serverSideApply().getData().get("key"), "2");
  }

  /** Takes what a watch sees; an end with an error is an event as well. */
  private static final class Events implements Watcher<ConfigMap> {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @Override
    public void eventReceived(Action action, ConfigMap map) {
      seen.add(action + " " + map.getMetadata().getName());
    }

    @Override
    public void onClose(WatcherException cause) {
      seen.add("closed " + cause);
    }

    void expect(String... events) throws InterruptedException {
      for (String event : events) same(seen.poll(LIMIT_SECONDS, TimeUnit.SECONDS), event);
    }
  }

  private static void watch(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps) throws Exception {
    Events events = new Events();
    try (var watch = maps.withLabel("for", "watch").watch(events)) {
      ConfigMap made = maps.resource(map("watched", "watch", "1")).create();
      maps.resource(new ConfigMapBuilder(made).addToData("key", "2").build()).update();
      maps.withName("watched").delete();
      events.expect("ADDED watched", "MODIFIED watched", "DELETED watched");
    }
  }

  private static void resumed(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps) throws Exception {
    Events events = new Events();
    try (var watch = maps.withLabel("for", "resumed").watch(events)) {
      maps.resource(map("before", "resumed", "1")).create();
      events.expect("ADDED before");
      ask("restart");
      maps.resource(map("after", "resumed", "1")).create();
      events.expect("ADDED after");
    }
  }

  /** Prints a request to the process that runs the program, and waits for the answer. */
  private static void ask(String what) throws Exception {
    System.out.println("{\"ask\":" + quoted(what) + "}");
    if (System.in.read() < 0) throw new AssertionError("no answer");
  }

  private static void informer(KubernetesClient client) throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    maps(client).resource(map("known", "informer", "1")).create();
    var informer = client.configMaps().inNamespace(NAMESPACE).withLabel("for", "informer")
        .inform(new ResourceEventHandler<ConfigMap>() {
          @Override
          public void onAdd(ConfigMap map) {
            seen.add("add " + map.getMetadata().getName());
          }

          @Override
          public void onUpdate(ConfigMap old, ConfigMap map) {
            seen.add("update " + map.getData().get("key"));
          }

          @Override
          public void onDelete(ConfigMap map, boolean isStale) {
            seen.add("delete " + map.getMetadata().getName());
          }
        });
    try {
      same(seen.poll(LIMIT_SECONDS, TimeUnit.SECONDS), "add known");
      maps(client).resource(map("new", "informer", "1")).create();
      same(seen.poll(LIMIT_SECONDS, TimeUnit.SECONDS), "add new");
      maps(client).withName("new").edit(map -> new ConfigMapBuilder(map).addToData("key", "2").build());
      same(seen.poll(LIMIT_SECONDS, TimeUnit.SECONDS), "update 2");
      same(informer.getStore().list().size(), 2);
      maps(client).withName("new").delete();
      same(seen.poll(LIMIT_SECONDS, TimeUnit.SECONDS), "delete new");
      same(informer.isWatching(), true);
    } finally {
      informer.stop();
    }
  }

  private static void waits(NonNamespaceOperation<ConfigMap, ConfigMapList, Resource<ConfigMap>> maps) throws Exception {
    maps.resource(map("waited", "waits", "1")).create();
    Thread change = new Thread(
        () -> maps.withName("waited").edit(map -> new ConfigMapBuilder(map).addToData("key", "ready").build()));
    change.start();
    ConfigMap ready = maps.withName("waited")
        .waitUntilCondition(map -> map != null && "ready".equals(map.getData().get("key")), LIMIT_SECONDS, TimeUnit.SECONDS);
    same(ready.getData().get("key"), "ready");
    change.join();
  }

  private static void workloads(KubernetesClient client) {
    Map<String, String> labels = Map.of("app", "web");
    Deployment deployment = new DeploymentBuilder()
        .withNewMetadata().withName("web").endMetadata()
        .withNewSpec()
        .withNewSelector().withMatchLabels(labels).endSelector()
        .withNewTemplate().withNewMetadata().withLabels(labels).endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("i").endContainer().endSpec()
        .endTemplate()
        .endSpec()
        .build();
    var deployments = client.apps().deployments().inNamespace(NAMESPACE);
    deployments.resource(deployment).create();
    same(deployments.withName("web").scale(3).getSpec().getReplicas(), 3);
    same(deployments.withName("web").scale().getSpec().getReplicas(), 3);
  }

  private static void custom(KubernetesClient client) {
    CustomResourceDefinition definition = client.apiextensions().v1().customResourceDefinitions()
        .load(new ByteArrayInputStream(TOOLS.getBytes(StandardCharsets.UTF_8))).create();
    client.apiextensions().v1().customResourceDefinitions().withName(definition.getMetadata().getName())
        .waitUntilCondition(one -> one != null && one.getStatus() != null && one.getStatus().getConditions().stream()
            .anyMatch(condition -> "Established".equals(condition.getType()) && "True".equals(condition.getStatus())),
            LIMIT_SECONDS, TimeUnit.SECONDS);
    MixedOperation<GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>> tools =
        client.genericKubernetesResources("java.example.com/v1", "Tool");
    GenericKubernetesResource tool = new GenericKubernetesResource();
    tool.setApiVersion("java.example.com/v1");
    tool.setKind("Tool");
    tool.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName("t").withNamespace(NAMESPACE).build());
    tool.setAdditionalProperty("spec", Map.of("size", 1));
    same(tools.inNamespace(NAMESPACE).resource(tool).create().get("spec", "size"), 1);
    tool.setAdditionalProperty("spec", Map.of("size", "large"));
    same(codeOf(() -> tools.inNamespace(NAMESPACE).resource(tool).update()), 422);
    same(List.of("t"), tools.inNamespace(NAMESPACE).list().getItems().stream().map(one -> one.getMetadata().getName()).toList());
  }

  private static final String TOOLS = """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: tools.java.example.com}
      spec:
        group: java.example.com
        scope: Namespaced
        names: {plural: tools, singular: tool, kind: Tool}
        versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec: {type: object, properties: {size: {type: integer}}}
      """;
}
