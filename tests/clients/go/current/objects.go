package main

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// objectChecks use the client of controller-runtime, which works with any kind alike.
func objectChecks(s *suite) {
	direct, err := client.NewWithWatch(s.config, client.Options{})
	if err != nil {
		s.check("a client", func(context.Context) error { return err })
		return
	}
	at := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: s.namespace} }
	deployment := &appsv1.Deployment{ObjectMeta: at("web"), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}
	s.check("subresources: scale, token, eviction and status", func(ctx context.Context) error {
		account := &corev1.ServiceAccount{ObjectMeta: at("robot")}
		pod := &corev1.Pod{ObjectMeta: at("pod"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		if err := all(direct.Create(ctx, deployment), direct.Create(ctx, account), direct.Create(ctx, pod)); err != nil {
			return err
		}
		scale := &autoscalingv1.Scale{}
		if err := direct.SubResource("scale").Get(ctx, deployment, scale); err != nil {
			return err
		}
		scale.Spec.Replicas = 5
		if err := direct.SubResource("scale").Update(ctx, deployment, client.WithSubResourceBody(scale)); err != nil {
			return err
		}
		token := &authenticationv1.TokenRequest{}
		if err := direct.SubResource("token").Create(ctx, account, token); err != nil {
			return err
		}
		if err := direct.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{}); err != nil {
			return err
		}
		status := appsac.Deployment("web", s.namespace).WithStatus(appsac.DeploymentStatus().WithReplicas(5).WithReadyReplicas(2))
		if err := direct.Status().Apply(ctx, status, client.FieldOwner("status")); err != nil {
			return err
		}
		return all(
			direct.Get(ctx, client.ObjectKeyFromObject(deployment), deployment),
			equal("replicas", *deployment.Spec.Replicas, int32(5)),
			equal("ready", deployment.Status.ReadyReplicas, int32(2)),
			holds(token.Status.Token != "", "no token"),
		)
	})
	s.check("a watch and a deletion of all", func(ctx context.Context) error {
		events, err := direct.Watch(ctx, &corev1.SecretList{}, client.InNamespace(s.namespace), client.MatchingLabels{"w": "x"})
		if err != nil {
			return err
		}
		defer events.Stop()
		for i := range 3 {
			secret := &corev1.Secret{ObjectMeta: at(fmt.Sprintf("s%d", i)), StringData: map[string]string{"a": "b"}}
			secret.Labels = map[string]string{"w": "x"}
			if err := direct.Create(ctx, secret); err != nil {
				return err
			}
		}
		if err := direct.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(s.namespace), client.MatchingLabels{"w": "x"}); err != nil {
			return err
		}
		seen, err := take(ctx, events, 6)
		if err != nil {
			return err
		}
		var types []watch.EventType
		for _, event := range seen {
			types = append(types, event.Type)
		}
		return equal("events", types, []watch.EventType{"ADDED", "ADDED", "ADDED", "DELETED", "DELETED", "DELETED"})
	})
	s.check("wrapped clients: strict fields, owners and dry runs", func(ctx context.Context) error {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "strict", "namespace": s.namespace}, "no": "such",
		}}
		strict := client.WithFieldValidation(direct, metav1.FieldValidationStrict).Create(ctx, object.DeepCopy())
		dry := client.NewDryRunClient(direct).Create(ctx, &corev1.ConfigMap{ObjectMeta: at("dry")})
		owned := &corev1.ConfigMap{ObjectMeta: at("owned"), Data: map[string]string{"a": "b"}}
		if err := all(dry, client.WithFieldOwner(direct, "me").Create(ctx, owned)); err != nil {
			return err
		}
		return all(
			refused(strict, apierrors.IsBadRequest, "unknown field"),
			equal("managers", managers(owned), "me/Update"),
			refused(direct.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: "dry"}, &corev1.ConfigMap{}), apierrors.IsNotFound, "dry run"),
		)
	})
	s.check("a cache of metadata and of untyped objects", func(ctx context.Context) error {
		made, err := ctrl.NewManager(s.config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}}})
		if err != nil {
			return err
		}
		cacheCtx, stop := context.WithCancel(ctx)
		defer stop()
		go func() { _ = made.GetCache().Start(cacheCtx) }()
		if !made.GetCache().WaitForCacheSync(ctx) {
			return fmt.Errorf("the cache did not start")
		}
		partial := &metav1.PartialObjectMetadataList{}
		partial.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DeploymentList"))
		untyped := &unstructured.UnstructuredList{}
		untyped.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
		return all(
			made.GetCache().List(ctx, partial), made.GetCache().List(ctx, untyped),
			equal("deployments", len(partial.Items), 1),
			holds(len(untyped.Items) > 0, "no config maps"),
		)
	})
	s.check("answers large enough to be compressed arrive whole, with compression and without", func(ctx context.Context) error {
		for i := range 20 {
			object := configMap(fmt.Sprintf("large-%d", i), map[string]string{"fill": strings.Repeat(fmt.Sprintf("%d é ", i), 5_000)})
			object.Namespace, object.Labels = s.namespace, map[string]string{"large": "yes"}
			if err := direct.Create(ctx, object); err != nil {
				return err
			}
		}
		for _, off := range []bool{false, true} {
			config := rest.CopyConfig(s.config)
			config.DisableCompression = off
			reader, err := client.New(config, client.Options{})
			if err != nil {
				return err
			}
			list := &corev1.ConfigMapList{}
			if err := reader.List(ctx, list, client.InNamespace(s.namespace), client.MatchingLabels{"large": "yes"}); err != nil {
				return err
			}
			if err := equal("objects", len(list.Items), 20); err != nil {
				return err
			}
			for _, object := range list.Items {
				number := strings.TrimPrefix(object.Name, "large-")
				if err := holds(object.Data["fill"] == strings.Repeat(number+" é ", 5_000), "%s is damaged", object.Name); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
