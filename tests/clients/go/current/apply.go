package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"

	"k8s.io/apimachinery/pkg/util/sets"
)

func applyChecks(s *suite) {
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	one, two := metav1.ApplyOptions{FieldManager: "one"}, metav1.ApplyOptions{FieldManager: "two"}
	s.check("apply configurations create, change and remove fields", func(ctx context.Context) error {
		made, err := maps.Apply(ctx, coreac.ConfigMap("m", s.namespace).WithData(map[string]string{"a": "1", "b": "2"}), one)
		if err != nil {
			return err
		}
		again, err := maps.Apply(ctx, coreac.ConfigMap("m", s.namespace).WithData(map[string]string{"a": "1", "b": "2"}), one)
		if err != nil {
			return err
		}
		fewer, err := maps.Apply(ctx, coreac.ConfigMap("m", s.namespace).WithData(map[string]string{"a": "1"}), one)
		if err != nil {
			return err
		}
		return all(
			equal("version after the same apply", again.ResourceVersion, made.ResourceVersion),
			equal("data after b is no longer applied", fewer.Data, map[string]string{"a": "1"}),
			equal("managers", managers(fewer), "one/Apply"),
		)
	})
	s.check("conflicts name the other manager and force takes over", func(ctx context.Context) error {
		mine := coreac.ConfigMap("m", s.namespace).WithData(map[string]string{"a": "other"})
		_, err := maps.Apply(ctx, mine, two)
		if err := refused(err, apierrors.IsConflict, "apply over another manager's field"); err != nil {
			return err
		}
		status := err.(apierrors.APIStatus).Status()
		forced, forceErr := maps.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "two", Force: true})
		if forceErr != nil {
			return forceErr
		}
		return all(
			equal("message", status.Message, `Apply failed with 1 conflict: conflict with "one": .data.a`),
			equal("cause", status.Details.Causes, []metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "one"`, Field: ".data.a"}}),
			equal("data", forced.Data, map[string]string{"a": "other"}),
		)
	})
	s.check("extract gives back what was applied", func(ctx context.Context) error {
		current, err := maps.Get(ctx, "m", metav1.GetOptions{})
		if err != nil {
			return err
		}
		extracted, err := coreac.ExtractConfigMap(current, "two")
		if err != nil {
			return err
		}
		return equal("extracted", extracted.Data, map[string]string{"a": "other"})
	})
	s.check("list maps merge by their keys", func(ctx context.Context) error {
		deployments := s.client.AppsV1().Deployments(s.namespace)
		base := func() *appsac.DeploymentApplyConfiguration {
			return appsac.Deployment("d", s.namespace).WithSpec(appsac.DeploymentSpec().
				WithSelector(metaac.LabelSelector().WithMatchLabels(map[string]string{"a": "b"})).
				WithTemplate(coreac.PodTemplateSpec().WithLabels(map[string]string{"a": "b"})))
		}
		first := base()
		first.Spec.Template.WithSpec(coreac.PodSpec().WithContainers(coreac.Container().WithName("c").WithImage("i").
			WithPorts(coreac.ContainerPort().WithContainerPort(80)).WithEnv(coreac.EnvVar().WithName("A").WithValue("1"))))
		if _, err := deployments.Apply(ctx, first, one); err != nil {
			return err
		}
		second := appsac.Deployment("d", s.namespace).WithSpec(appsac.DeploymentSpec().WithTemplate(coreac.PodTemplateSpec().WithSpec(
			coreac.PodSpec().WithContainers(coreac.Container().WithName("c").WithEnv(coreac.EnvVar().WithName("B").WithValue("2")),
				coreac.Container().WithName("side").WithImage("s")))))
		both, err := deployments.Apply(ctx, second, two)
		if err != nil {
			return err
		}
		containers := both.Spec.Template.Spec.Containers
		if len(containers) != 2 {
			return fmt.Errorf("containers: %s", show(containers))
		}
		third := base()
		third.Spec.Template.WithSpec(coreac.PodSpec().WithContainers(coreac.Container().WithName("c").WithImage("i2")))
		after, err := deployments.Apply(ctx, third, one)
		if err != nil {
			return err
		}
		return all(
			equal("env", containers[0].Env, []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}),
			equal("env after A is no longer applied", after.Spec.Template.Spec.Containers[0].Env, []corev1.EnvVar{{Name: "B", Value: "2"}}),
			equal("ports after they are no longer applied", len(after.Spec.Template.Spec.Containers[0].Ports), 0),
			equal("image", after.Spec.Template.Spec.Containers[0].Image, "i2"),
			equal("generation", after.Generation, int64(3)),
		)
	})
	s.check("status is applied by its own manager", func(ctx context.Context) error {
		applied, err := s.client.AppsV1().Deployments(s.namespace).ApplyStatus(ctx,
			appsac.Deployment("d", s.namespace).WithStatus(appsac.DeploymentStatus().WithObservedGeneration(3)), metav1.ApplyOptions{FieldManager: "status"})
		if err != nil {
			return err
		}
		return all(
			equal("observed generation", applied.Status.ObservedGeneration, int64(3)),
			holds(strings.Contains(managers(applied), "status/Apply/status"), "managers: %s", managers(applied)),
		)
	})
	s.check("client-side apply migrates to server-side apply", func(ctx context.Context) error {
		object := configMap("old", map[string]string{"a": "1", "b": "2"})
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"}); err != nil {
			return err
		}
		current, err := maps.Get(ctx, "old", metav1.GetOptions{})
		if err != nil {
			return err
		}
		patch, err := csaupgrade.UpgradeManagedFieldsPatch(current, sets.New("kubectl-client-side-apply"), "kubectl")
		if err != nil {
			return err
		}
		if _, err := maps.Patch(ctx, "old", types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
		applied, err := maps.Apply(ctx, coreac.ConfigMap("old", s.namespace).WithData(map[string]string{"a": "1"}), metav1.ApplyOptions{FieldManager: "kubectl"})
		if err != nil {
			return err
		}
		return all(equal("data", applied.Data, map[string]string{"a": "1"}), equal("managers", managers(applied), "kubectl/Apply"))
	})
	s.check("the dynamic client applies", func(ctx context.Context) error {
		client, err := dynamic.NewForConfig(s.config)
		if err != nil {
			return err
		}
		applied, err := client.Resource(configMaps).Namespace(s.namespace).Apply(ctx, "dyn", &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "dyn"}, "data": map[string]any{"a": "b"},
		}}, metav1.ApplyOptions{FieldManager: "dynamic"})
		if err != nil {
			return err
		}
		return equal("managers", managers(applied), "dynamic/Apply")
	})
}

func managers(object metav1.Object) string {
	var names []string
	for _, entry := range object.GetManagedFields() {
		name := entry.Manager + "/" + string(entry.Operation)
		if entry.Subresource != "" {
			name += "/" + entry.Subresource
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}
