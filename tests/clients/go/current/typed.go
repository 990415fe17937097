package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func typedChecks(s *suite) {
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	s.check("create, get, update and delete", func(ctx context.Context) error {
		made, err := maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"an": "é"}},
			Data:       map[string]string{"k": "v"},
			BinaryData: map[string][]byte{"b": {0, 1, 2, 255}},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		got, err := maps.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := all(equal("get after create", got, made), equal("binary data", got.BinaryData["b"], []byte{0, 1, 2, 255})); err != nil {
			return err
		}
		got.Data["k"] = "w"
		updated, err := maps.Update(ctx, got, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		_, stale := maps.Update(ctx, made, metav1.UpdateOptions{})
		same, err := maps.Update(ctx, updated, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		if err := all(
			equal("data", updated.Data, map[string]string{"k": "w"}),
			refused(stale, apierrors.IsConflict, "update of a stale version"),
			equal("version after an update that changes nothing", same.ResourceVersion, updated.ResourceVersion),
		); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
			return err
		}
		_, gone := maps.Get(ctx, "a", metav1.GetOptions{})
		return refused(gone, apierrors.IsNotFound, "get after delete")
	})
	s.check("errors are of the sorts that clients test for", func(ctx context.Context) error {
		if _, err := maps.Create(ctx, configMap("twice", nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		_, exists := maps.Create(ctx, configMap("twice", nil), metav1.CreateOptions{})
		_, invalid := maps.Create(ctx, configMap("Not_A_Name", nil), metav1.CreateOptions{})
		wrongUID := types.UID("11111111-2222-3333-4444-555555555555")
		precondition := maps.Delete(ctx, "twice", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrongUID}})
		_, noNamespace := s.client.CoreV1().ConfigMaps("no-such-namespace").Create(ctx, configMap("x", nil), metav1.CreateOptions{})
		_, badSelector := maps.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=x"})
		return all(
			refused(exists, apierrors.IsAlreadyExists, "second create"),
			refused(invalid, apierrors.IsInvalid, "bad name"),
			equal("cause", causes(invalid), "metadata.name: FieldValueInvalid"),
			refused(precondition, apierrors.IsConflict, "uid precondition"),
			refused(noNamespace, apierrors.IsNotFound, "create in a missing namespace"),
			refused(badSelector, apierrors.IsBadRequest, "unknown field selector"),
		)
	})
	s.check("patches of three types", func(ctx context.Context) error {
		if _, err := maps.Create(ctx, configMap("p", map[string]string{"a": "1", "b": "2"}), metav1.CreateOptions{}); err != nil {
			return err
		}
		for _, step := range []struct {
			kind types.PatchType
			body string
			want map[string]string
		}{
			{types.MergePatchType, `{"data":{"a":null,"c":"3"}}`, map[string]string{"b": "2", "c": "3"}},
			{types.JSONPatchType, `[{"op":"test","path":"/data/b","value":"2"},{"op":"move","from":"/data/b","path":"/data/d"}]`, map[string]string{"c": "3", "d": "2"}},
			{types.StrategicMergePatchType, `{"data":{"$patch":"replace","e":"5"}}`, map[string]string{"e": "5"}},
		} {
			patched, err := maps.Patch(ctx, "p", step.kind, []byte(step.body), metav1.PatchOptions{})
			if err != nil {
				return fmt.Errorf("%s %s: %w", step.kind, step.body, err)
			}
			if err := equal(step.body, patched.Data, step.want); err != nil {
				return err
			}
		}
		_, failed := maps.Patch(ctx, "p", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/e","value":"no"}]`), metav1.PatchOptions{})
		return refused(failed, apierrors.IsInvalid, "failing test operation")
	})
	s.check("dry run leaves no trace", func(ctx context.Context) error {
		dry := []string{metav1.DryRunAll}
		made, err := maps.Create(ctx, configMap("dry", nil), metav1.CreateOptions{DryRun: dry})
		if err != nil {
			return err
		}
		_, missing := maps.Get(ctx, "dry", metav1.GetOptions{})
		return all(
			equal("resourceVersion", made.ResourceVersion, ""),
			holds(made.UID != "", "no uid in the answer"),
			refused(missing, apierrors.IsNotFound, "get after dry run"),
		)
	})
	s.check("delete a collection by label", func(ctx context.Context) error {
		for i := range 5 {
			object := configMap(fmt.Sprintf("c%d", i), nil)
			object.Labels = map[string]string{"odd": fmt.Sprint(i%2 == 1)}
			if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "odd=true"}); err != nil {
			return err
		}
		left, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "odd"})
		if err != nil {
			return err
		}
		return equal("left", len(left.Items), 3)
	})
	s.check("finalizers hold an object back", func(ctx context.Context) error {
		object := configMap("held", nil)
		object.Finalizers = []string{"example.com/hold"}
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := maps.Delete(ctx, "held", metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
			held, err := maps.Get(ctx, "held", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if held.DeletionTimestamp == nil {
				return fmt.Errorf("no deletionTimestamp")
			}
			held.Finalizers = nil
			_, err = maps.Update(ctx, held, metav1.UpdateOptions{})
			return err
		}); err != nil {
			return err
		}
		_, gone := maps.Get(ctx, "held", metav1.GetOptions{})
		return refused(gone, apierrors.IsNotFound, "get after the last finalizer")
	})
	s.check("an object is the same alone, in a list and in a watch", func(ctx context.Context) error {
		if _, err := maps.Create(ctx, configMap("same", map[string]string{"a": "b"}), metav1.CreateOptions{}); err != nil {
			return err
		}
		alone, err := maps.Get(ctx, "same", metav1.GetOptions{})
		if err != nil {
			return err
		}
		options := metav1.ListOptions{FieldSelector: "metadata.name=same"}
		list, err := maps.List(ctx, options)
		if err != nil {
			return err
		}
		watcher, err := maps.Watch(ctx, options)
		if err != nil {
			return err
		}
		defer watcher.Stop()
		seen, err := take(ctx, watcher, 1)
		if err != nil {
			return err
		}
		return all(equal("in a list", &list.Items[0], alone), equal("in a watch", seen[0].Object, runtime.Object(alone)))
	})
	s.check("field validation warns or refuses", func(ctx context.Context) error {
		warnings := &warningLog{}
		config := rest.CopyConfig(s.config)
		config.WarningHandler = warnings
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "extra"}, "dat": map[string]any{"a": "b"},
		}}
		_, strict := client.Resource(configMaps).Namespace(s.namespace).Create(ctx, object, metav1.CreateOptions{FieldValidation: "Strict"})
		_, err = client.Resource(configMaps).Namespace(s.namespace).Create(ctx, object, metav1.CreateOptions{FieldValidation: "Warn"})
		return all(err,
			refused(strict, apierrors.IsBadRequest, "unknown field with Strict"),
			holds(strict != nil && strings.Contains(strict.Error(), `unknown field "dat"`), "message: %v", strict),
			equal("warnings", warnings.seen, []string{`unknown field "dat"`}),
		)
	})
	s.check("the dynamic client", s.dynamicClient)
	s.check("the metadata client", s.metadataClient)
}

func (s *suite) dynamicClient(ctx context.Context) error {
	client, err := dynamic.NewForConfig(s.config)
	if err != nil {
		return err
	}
	resource := client.Resource(deployments).Namespace(s.namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "dyn"},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}},
			},
		},
	}}
	made, err := resource.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	replicas, _, _ := unstructured.NestedInt64(made.Object, "spec", "replicas")
	if err := unstructured.SetNestedField(made.Object, int64(7), "status", "observedGeneration"); err != nil {
		return err
	}
	withStatus, err := resource.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	observed, _, _ := unstructured.NestedInt64(withStatus.Object, "status", "observedGeneration")
	scaled, err := resource.Patch(ctx, "dyn", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{}, "scale")
	if err != nil {
		return err
	}
	after, err := resource.Get(ctx, "dyn", metav1.GetOptions{})
	if err != nil {
		return err
	}
	wanted, _, _ := unstructured.NestedInt64(after.Object, "spec", "replicas")
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: "!x"})
	if err != nil {
		return err
	}
	return all(
		equal("default replicas", replicas, int64(1)),
		equal("observed generation", observed, int64(7)),
		equal("generation after a status write", withStatus.GetGeneration(), int64(1)),
		equal("kind of the scale", scaled.GetKind(), "Scale"),
		equal("replicas", wanted, int64(3)),
		equal("generation", after.GetGeneration(), int64(2)),
		equal("list kind", list.GetKind(), "DeploymentList"),
		equal("list", len(list.Items), 1),
		resource.Delete(ctx, "dyn", metav1.DeleteOptions{}),
	)
}

func (s *suite) metadataClient(ctx context.Context) error {
	if _, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(ctx, configMap("meta", map[string]string{"secret": "data"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	client, err := metadata.NewForConfig(s.config)
	if err != nil {
		return err
	}
	resource := client.Resource(configMaps).Namespace(s.namespace)
	got, err := resource.Get(ctx, "meta", metav1.GetOptions{})
	if err != nil {
		return err
	}
	patched, err := resource.Patch(ctx, "meta", types.MergePatchType, []byte(`{"metadata":{"labels":{"patched":"yes"}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: "patched=yes"})
	if err != nil {
		return err
	}
	if err := all(
		equal("name", got.Name, "meta"),
		equal("labels", patched.Labels, map[string]string{"patched": "yes"}),
		equal("list", len(list.Items), 1),
		resource.Delete(ctx, "meta", metav1.DeleteOptions{}),
	); err != nil {
		return err
	}
	_, gone := resource.Get(ctx, "meta", metav1.GetOptions{})
	return refused(gone, apierrors.IsNotFound, "get after delete")
}

// warningLog keeps the warnings a server sends.
type warningLog struct{ seen []string }

func (w *warningLog) HandleWarningHeader(_ int, _ string, text string) { w.seen = append(w.seen, text) }

func causes(err error) string {
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil {
		return ""
	}
	var lines []string
	for _, cause := range status.Status().Details.Causes {
		lines = append(lines, fmt.Sprintf("%s: %s", cause.Field, cause.Type))
	}
	return strings.Join(lines, ", ")
}

func condition(conditions []metav1.Condition, kind string) string {
	found := meta.FindStatusCondition(conditions, kind)
	if found == nil {
		return ""
	}
	return string(found.Status)
}
