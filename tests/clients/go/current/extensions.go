package main

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

func extensionChecks(s *suite) {
	extensions := clientset.NewForConfigOrDie(protobuf(s.config))
	client := dynamic.NewForConfigOrDie(s.config)
	group := s.namespace + ".example.com"
	gadgets := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gadgets"}
	s.check("a definition sent as protobuf is established", func(ctx context.Context) error {
		if _, err := extensions.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, gadgetDefinition(group), metav1.CreateOptions{}); err != nil {
			return err
		}
		return established(ctx, extensions, "gadgets."+group)
	})
	s.check("custom objects: defaults, pruning, rules, status", func(ctx context.Context) error {
		resource := client.Resource(gadgets).Namespace(s.namespace)
		made, err := resource.Create(ctx, gadget(group, "a", map[string]any{"size": int64(3), "unknown": true}), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		_, invalid := resource.Create(ctx, gadget(group, "b", map[string]any{"size": int64(0)}), metav1.CreateOptions{})
		made.Object["status"] = map[string]any{"phase": "Ready"}
		made.Object["spec"].(map[string]any)["size"] = int64(9)
		after, err := resource.UpdateStatus(ctx, made, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return all(
			equal("spec", after.Object["spec"], map[string]any{"size": int64(3), "color": "red"}),
			equal("status", after.Object["status"], map[string]any{"phase": "Ready"}),
			refused(invalid, apierrors.IsInvalid, "size below the minimum"),
			equal("causes", causes(invalid), "spec.size: FieldValueInvalid"),
		)
	})
	s.check("a typed informer of definitions and a dynamic one of objects", func(ctx context.Context) error {
		factory := externalversions.NewSharedInformerFactory(extensions, 0)
		informer := factory.Apiextensions().V1().CustomResourceDefinitions().Informer()
		factory.Start(ctx.Done())
		custom := dynamicinformer.NewFilteredDynamicInformer(client, gadgets, s.namespace, 0, cache.Indexers{}, nil).Informer()
		go custom.RunWithContext(ctx)
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced, custom.HasSynced) {
			return fmt.Errorf("did not fill")
		}
		return all(
			holds(len(informer.GetStore().ListKeys()) >= 1, "no definitions"),
			equal("objects", custom.GetStore().ListKeys(), []string{s.namespace + "/a"}),
		)
	})
	s.check("deleting a definition deletes its objects", func(ctx context.Context) error {
		definitions := extensions.ApiextensionsV1().CustomResourceDefinitions()
		if err := definitions.Delete(ctx, "gadgets."+group, metav1.DeleteOptions{}); err != nil {
			return err
		}
		if err := eventually(ctx, "definition gone", func(ctx context.Context) (bool, error) {
			_, err := definitions.Get(ctx, "gadgets."+group, metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		}); err != nil {
			return err
		}
		_, gone := client.Resource(gadgets).Namespace(s.namespace).Get(ctx, "a", metav1.GetOptions{})
		return refused(gone, apierrors.IsNotFound, "get of an undefined kind")
	})
}

func established(ctx context.Context, client clientset.Interface, name string) error {
	return eventually(ctx, name+" established", func(ctx context.Context) (bool, error) {
		definition, err := client.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range definition.Status.Conditions {
			if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
				return true, nil
			}
		}
		return false, nil
	})
}

func gadget(group, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1", "kind": "Gadget", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

func gadgetDefinition(group string) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Singular: "gadget", Kind: "Gadget", ListKind: "GadgetList", ShortNames: []string{"gd"}},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
							"size":  {Type: "integer", Minimum: new(float64(1))},
							"color": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"red"`)}, Enum: []apiextensionsv1.JSON{{Raw: []byte(`"red"`)}, {Raw: []byte(`"blue"`)}}},
						}},
						"status": {Type: "object", XPreserveUnknownFields: new(true)},
					},
				}},
			}},
		},
	}
}
