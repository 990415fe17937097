// Command old exercises an API server with a client-go of some years ago: no streamed lists, JSON unless asked otherwise.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.QPS = -1
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	checks, failures := 0, 0
	report := func(line map[string]any) { _ = json.NewEncoder(os.Stdout).Encode(line) }
	check := func(name string, run func() error) {
		checks++
		line := map[string]any{"check": name}
		if err := run(); err != nil {
			failures++
			line["error"] = err.Error()
		}
		report(line)
	}
	for encoding, config := range map[string]*rest.Config{"JSON": config, "protobuf": binary} {
		client := kubernetes.NewForConfigOrDie(config)
		namespace, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "go-old-"}}, metav1.CreateOptions{})
		if err != nil {
			report(map[string]any{"check": "create a namespace", "error": err.Error()})
			os.Exit(1)
		}
		check("verbs in "+encoding, func() error { return verbs(ctx, client, namespace.Name) })
		check("informer in "+encoding, func() error { return informer(ctx, client, namespace.Name) })
	}
	check("mapper and dynamic client", func() error { return mapped(ctx, config) })
	report(map[string]any{"done": checks, "failures": failures})
	if failures > 0 {
		os.Exit(1)
	}
}

func verbs(ctx context.Context, client kubernetes.Interface, namespace string) error {
	deployments := client.AppsV1().Deployments(namespace)
	made, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Spec.Template.Spec.Containers[0].Image = "j"
	if made, err = deployments.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	patched, err := deployments.Patch(ctx, "d", types.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"e","image":"k"}]}}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if len(patched.Spec.Template.Spec.Containers) != 2 || patched.Generation != 3 {
		return fmt.Errorf("patched: %v, generation %d", patched.Spec.Template.Spec.Containers, patched.Generation)
	}
	if _, err := client.CoreV1().ConfigMaps(namespace).Apply(ctx, coreac.ConfigMap("m", namespace).WithData(map[string]string{"a": "b"}), metav1.ApplyOptions{FieldManager: "old"}); err != nil {
		return err
	}
	list, err := client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=m"})
	if err != nil || len(list.Items) != 1 {
		return fmt.Errorf("list: %v %w", list, err)
	}
	if err := deployments.Delete(ctx, "d", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := deployments.Get(ctx, "d", metav1.GetOptions{}); !errors.IsNotFound(err) {
		return fmt.Errorf("after delete: %w", err)
	}
	return nil
}

func informer(ctx context.Context, client kubernetes.Interface, namespace string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	lister := factory.Core().V1().Secrets().Lister()
	factory.Core().V1().Secrets().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if _, err := client.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
		secrets, err := lister.Secrets(namespace).List(labels.Everything())
		return len(secrets) == 1 && string(secrets[0].Data["a"]) == "b", err
	})
}

func mapped(ctx context.Context, config *rest.Config) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kubernetes.NewForConfigOrDie(config).Discovery()))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"})
	if err != nil {
		return err
	}
	role, err := dynamic.NewForConfigOrDie(config).Resource(mapping.Resource).Get(ctx, "cluster-admin", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if role.GetKind() != "ClusterRole" {
		return fmt.Errorf("kind %q", role.GetKind())
	}
	return nil
}
