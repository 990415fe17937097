package main

import (
	"fmt"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// Widget is the stored version of the kind that the controller-runtime checks define; its size is a number.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Size  int    `json:"size"`
	Owner string `json:"owner,omitempty"`
}

type WidgetStatus struct {
	Ready      bool               `json:"ready,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// WidgetV2 is the other served version; its size is text with a unit.
type WidgetV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetV2Spec `json:"spec"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetV2Spec struct {
	Dimension string `json:"dimension"`
	Owner     string `json:"owner,omitempty"`
}

type WidgetV2List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WidgetV2 `json:"items"`
}

func (w *Widget) Hub() {}

func (w *WidgetV2) ConvertTo(hub conversion.Hub) error {
	target := hub.(*Widget)
	target.ObjectMeta, target.Status, target.Spec.Owner = w.ObjectMeta, w.Status, w.Spec.Owner
	if _, err := fmt.Sscanf(w.Spec.Dimension, "%dcm", &target.Spec.Size); err != nil {
		return fmt.Errorf("dimension %q is not in cm", w.Spec.Dimension)
	}
	return nil
}

func (w *WidgetV2) ConvertFrom(hub conversion.Hub) error {
	source := hub.(*Widget)
	w.ObjectMeta, w.Status, w.Spec.Owner = source.ObjectMeta, source.Status, source.Spec.Owner
	w.Spec.Dimension = strconv.Itoa(source.Spec.Size) + "cm"
	return nil
}

func (s WidgetStatus) copy() WidgetStatus {
	s.Conditions = append([]metav1.Condition(nil), s.Conditions...)
	return s
}

func (w *Widget) DeepCopyObject() runtime.Object { return w.DeepCopy() }

func (w *Widget) DeepCopy() *Widget {
	return &Widget{TypeMeta: w.TypeMeta, ObjectMeta: *w.ObjectMeta.DeepCopy(), Spec: w.Spec, Status: w.Status.copy()}
}

func (w *WidgetV2) DeepCopyObject() runtime.Object {
	return &WidgetV2{TypeMeta: w.TypeMeta, ObjectMeta: *w.ObjectMeta.DeepCopy(), Spec: w.Spec, Status: w.Status.copy()}
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := &WidgetList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopy())
	}
	return copied
}

func (l *WidgetV2List) DeepCopyObject() runtime.Object {
	copied := &WidgetV2List{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*WidgetV2))
	}
	return copied
}

// widgetScheme knows the built-in kinds and the widgets of one group.
func widgetScheme(group string, versions ...string) *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := all(clientscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		panic(err)
	}
	for _, version := range versions {
		gv := schema.GroupVersion{Group: group, Version: version}
		if version == "v1" {
			scheme.AddKnownTypeWithName(gv.WithKind("Widget"), &Widget{})
			scheme.AddKnownTypeWithName(gv.WithKind("WidgetList"), &WidgetList{})
		} else {
			scheme.AddKnownTypeWithName(gv.WithKind("Widget"), &WidgetV2{})
			scheme.AddKnownTypeWithName(gv.WithKind("WidgetList"), &WidgetV2List{})
		}
		metav1.AddToGroupVersion(scheme, gv)
	}
	return scheme
}

func widgetDefinition(group string, versions ...string) *apiextensionsv1.CustomResourceDefinition {
	condition := apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"type", "status"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"type": {Type: "string"}, "status": {Type: "string"}, "reason": {Type: "string"}, "message": {Type: "string"},
		"observedGeneration": {Type: "integer", Format: "int64"}, "lastTransitionTime": {Type: "string", Format: "date-time"},
	}}
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		},
	}
	for i, version := range versions {
		spec := map[string]apiextensionsv1.JSONSchemaProps{"owner": {Type: "string"}}
		if version == "v1" {
			spec["size"] = apiextensionsv1.JSONSchemaProps{Type: "integer"}
		} else {
			spec["dimension"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
		}
		definition.Spec.Versions = append(definition.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: i == 0,
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"spec": {Type: "object", Properties: spec},
					"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"ready":      {Type: "boolean"},
						"conditions": {Type: "array", XListType: new("map"), XListMapKeys: []string{"type"}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition}},
					}},
				},
			}},
		})
	}
	return definition
}
