package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

func discoveryChecks(s *suite) {
	client := discovery.NewDiscoveryClientForConfigOrDie(s.config)
	s.check("aggregated discovery is complete", func(context.Context) error {
		groups, resources, failed, err := client.GroupsAndMaybeResources()
		if err != nil {
			return err
		}
		names := map[string]bool{}
		for _, group := range groups.Groups {
			names[group.Name] = true
		}
		for _, want := range []string{"", "apps", "batch", "autoscaling", "networking.k8s.io", "policy", "rbac.authorization.k8s.io",
			"authentication.k8s.io", "authorization.k8s.io", "certificates.k8s.io", "coordination.k8s.io", "events.k8s.io", "discovery.k8s.io",
			"scheduling.k8s.io", "storage.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"} {
			if !names[want] {
				return fmt.Errorf("no group %q", want)
			}
		}
		return all(equal("failed", len(failed), 0), holds(len(resources[schema.GroupVersion{Version: "v1"}].APIResources) > 20, "few core resources"))
	})
	s.check("classic discovery says the same as aggregated", func(context.Context) error {
		legacy := discovery.NewDiscoveryClientForConfigOrDie(s.config)
		legacy.UseLegacyDiscovery = true
		_, aggregated, err := client.ServerGroupsAndResources()
		if err != nil {
			return err
		}
		_, classic, err := legacy.ServerGroupsAndResources()
		if err != nil {
			return err
		}
		return equal("resources", strings.Join(outline(aggregated), "\n"), strings.Join(outline(classic), "\n"))
	})
	s.check("version and preferred resources", func(context.Context) error {
		version, err := client.ServerVersion()
		if err != nil {
			return err
		}
		lists, err := client.ServerPreferredResources()
		if err != nil {
			return err
		}
		namespaced, err := discovery.ServerPreferredNamespacedResources(client)
		if err != nil {
			return err
		}
		return all(
			equal("major", version.Major, "1"),
			holds(len(lists) > 15, "%d preferred lists", len(lists)),
			holds(len(namespaced) > 5, "%d namespaced lists", len(namespaced)),
		)
	})
	s.check("deferred mapper over a memory cache, with short names", func(context.Context) error {
		cached := memory.NewMemCacheClient(client)
		mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
		if err != nil {
			return err
		}
		short, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
		if err != nil {
			return err
		}
		singular, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "namespace"})
		if err != nil {
			return err
		}
		_, missing := mapper.RESTMapping(schema.GroupKind{Group: "none.example.com", Kind: "None"})
		return all(
			equal("resource", mapping.Resource, deployments),
			equal("scope", mapping.Scope.Name(), meta.RESTScopeNameNamespace),
			equal("short", short, deployments),
			equal("singular", singular, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}),
			refused(missing, meta.IsNoMatchError, "unknown kind"),
		)
	})
	s.check("disk cache", func(context.Context) error {
		directory, err := os.MkdirTemp("", "discovery-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(directory)
		cached, err := disk.NewCachedDiscoveryClientForConfig(s.config, directory+"/d", directory+"/h", time.Minute)
		if err != nil {
			return err
		}
		for range 2 {
			if _, err := cached.ServerGroups(); err != nil {
				return err
			}
			if _, err := cached.ServerResourcesForGroupVersion("apps/v1"); err != nil {
				return err
			}
			if _, err := cached.OpenAPISchema(); err != nil {
				return err
			}
		}
		return nil
	})
	s.check("OpenAPI v3 of every group version parses", func(context.Context) error {
		root := openapi3.NewRoot(client.OpenAPIV3())
		versions, err := root.GroupVersions()
		if err != nil {
			return err
		}
		for _, version := range versions {
			spec, err := root.GVSpec(version)
			if err != nil {
				return fmt.Errorf("%s: %w", version, err)
			}
			if spec.Paths == nil || len(spec.Paths.Paths) == 0 {
				return fmt.Errorf("%s: no paths", version)
			}
		}
		return holds(len(versions) > 15, "%d group versions", len(versions))
	})
	s.check("the scale client", s.scaleClient)
}

func outline(lists []*metav1.APIResourceList) []string {
	var lines []string
	for _, list := range lists {
		for _, resource := range list.APIResources {
			verbs := append([]string{}, resource.Verbs...)
			lines = append(lines, fmt.Sprintf("%s %s %s %t %v %v %v", list.GroupVersion, resource.Name, resource.Kind, resource.Namespaced, verbs, resource.ShortNames, resource.Categories))
		}
	}
	sort.Strings(lines)
	return lines
}

func (s *suite) scaleClient(ctx context.Context) error {
	client := discovery.NewDiscoveryClientForConfigOrDie(s.config)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	scales, err := scale.NewForConfig(s.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(client))
	if err != nil {
		return err
	}
	_, err = s.client.AppsV1().Deployments(s.namespace).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "scaled"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	resource := deployments.GroupResource()
	current, err := scales.Scales(s.namespace).Get(ctx, resource, "scaled", metav1.GetOptions{})
	if err != nil {
		return err
	}
	current.Spec.Replicas = 4
	updated, err := scales.Scales(s.namespace).Update(ctx, resource, current, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	patched, err := scales.Scales(s.namespace).Patch(ctx, deployments, "scaled", types.MergePatchType, []byte(`{"spec":{"replicas":6}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	typed, err := s.client.AppsV1().Deployments(s.namespace).UpdateScale(ctx, "scaled", &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "scaled", Namespace: s.namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: 8},
	}, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return all(
		equal("updated", updated.Spec.Replicas, int32(4)), equal("selector", updated.Status.Selector, "a=b"),
		equal("patched", patched.Spec.Replicas, int32(6)), equal("typed", typed.Spec.Replicas, int32(8)),
	)
}
