package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// widgetPolicy is the admission of widgets: it gives them an owner, refuses negative sizes and keeps some from deletion.
type widgetPolicy struct{}

func (widgetPolicy) Default(ctx context.Context, widget *Widget) error {
	if widget.Spec.Owner == "" {
		request, err := admission.RequestFromContext(ctx)
		if err != nil {
			return err
		}
		widget.Spec.Owner = "user-" + strings.Trim(request.UserInfo.Username, ":")
	}
	return nil
}

func (widgetPolicy) ValidateCreate(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Spec.Size < 0 {
		return nil, errors.New("size is negative")
	}
	if widget.Spec.Size > 100 {
		return admission.Warnings{"that is large"}, nil
	}
	return nil, nil
}

func (p widgetPolicy) ValidateUpdate(ctx context.Context, before, after *Widget) (admission.Warnings, error) {
	if after.Spec.Size < before.Spec.Size {
		return nil, fmt.Errorf("size may not shrink from %d", before.Spec.Size)
	}
	return p.ValidateCreate(ctx, after)
}

func (widgetPolicy) ValidateDelete(_ context.Context, widget *Widget) (admission.Warnings, error) {
	if widget.Labels["keep"] != "" {
		return nil, errors.New("kept")
	}
	return nil, nil
}

func webhookChecks(s *suite) {
	group := s.namespace + ".example.com"
	scheme := widgetScheme(group, "v1", "v2")
	options := widgetWebhooks(group)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s.check("a manager serves webhooks that the server calls", func(check context.Context) error {
		if err := options.PrepWithoutInstalling(); err != nil {
			return err
		}
		server := webhook.NewServer(webhook.Options{Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir})
		made, err := ctrl.NewManager(s.config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, WebhookServer: server})
		if err != nil {
			return err
		}
		err = ctrl.NewWebhookManagedBy(made, &Widget{}).WithDefaulter(widgetPolicy{}).WithValidator(widgetPolicy{}).
			WithDefaulterCustomPath("/mutate").WithValidatorCustomPath("/validate").Complete()
		if err != nil {
			return err
		}
		go func() {
			if err := made.Start(ctx); err != nil {
				s.line(map[string]any{"managerStopped": err.Error()})
			}
		}()
		if err := eventually(check, "webhook server", func(context.Context) (bool, error) { return server.StartedChecker()(nil) == nil, nil }); err != nil {
			return err
		}
		_, err = envtest.InstallCRDs(s.config, envtest.CRDInstallOptions{
			Scheme: scheme, CRDs: []*apiextensionsv1.CustomResourceDefinition{widgetDefinition(group, "v1", "v2")}, WebhookOptions: *options,
		})
		return all(err, options.Install(s.config))
	})
	warnings := &warningLog{}
	config := rest.CopyConfig(s.config)
	config.WarningHandler = warnings
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		s.check("a client of two versions", func(context.Context) error { return err })
		return
	}
	widget := func(name string, size int) *Widget {
		return &Widget{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}, Spec: WidgetSpec{Size: size}}
	}
	s.check("the mutating webhook completes an object", func(ctx context.Context) error {
		made := widget("a", 1)
		if err := eventually(ctx, "mutated", func(ctx context.Context) (bool, error) {
			made = widget("a", 1)
			err := direct.Create(ctx, made, client.DryRunAll)
			return made.Spec.Owner != "", err
		}); err != nil {
			return err
		}
		made = widget("a", 1)
		if err := direct.Create(ctx, made); err != nil {
			return err
		}
		return holds(strings.HasPrefix(made.Spec.Owner, "user-"), "owner: %q", made.Spec.Owner)
	})
	s.check("the validating webhook refuses and warns", func(ctx context.Context) error {
		negative := direct.Create(ctx, widget("b", -1))
		large := direct.Create(ctx, widget("b", 101))
		kept := widget("kept", 1)
		kept.Labels = map[string]string{"keep": "yes"}
		if err := all(large, direct.Create(ctx, kept)); err != nil {
			return err
		}
		deletion := direct.Delete(ctx, kept)
		collection := direct.DeleteAllOf(ctx, &Widget{}, client.InNamespace(s.namespace), client.MatchingLabels{"keep": "yes"})
		shrunk := direct.Patch(ctx, widget("b", 0), client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":2}}`)))
		return all(
			refused(negative, apierrors.IsForbidden, "negative size"),
			equal("message", negative.Error(), `admission webhook "validate.widgets.example.com" denied the request: size is negative`),
			equal("warnings", warnings.seen, []string{"that is large"}),
			refused(deletion, apierrors.IsForbidden, "deletion"),
			refused(collection, apierrors.IsForbidden, "deletion of a collection"),
			refused(shrunk, apierrors.IsForbidden, "shrinking"),
			holds(strings.Contains(shrunk.Error(), "from 101"), "old object: %v", shrunk),
		)
	})
	s.check("the conversion webhook serves the other version", func(ctx context.Context) error {
		converted := &WidgetV2{}
		if err := direct.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: "a"}, converted); err != nil {
			return err
		}
		if err := equal("dimension", converted.Spec.Dimension, "1cm"); err != nil {
			return err
		}
		converted.Spec.Dimension = "7cm"
		if err := direct.Update(ctx, converted); err != nil {
			return err
		}
		stored := &Widget{}
		if err := direct.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: "a"}, stored); err != nil {
			return err
		}
		list := &WidgetV2List{}
		if err := direct.List(ctx, list, client.InNamespace(s.namespace)); err != nil {
			return err
		}
		converted.Spec.Dimension = "seven"
		bad := direct.Update(ctx, converted)
		return all(
			equal("size", stored.Spec.Size, 7),
			equal("list", len(list.Items), 3),
			holds(bad != nil && strings.Contains(bad.Error(), `dimension "seven" is not in cm`), "bad conversion: %v", bad),
		)
	})
	s.check("a cache of the other version follows", func(ctx context.Context) error {
		made, err := ctrl.NewManager(s.config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
		if err != nil {
			return err
		}
		cacheCtx, stopCache := context.WithCancel(ctx)
		defer stopCache()
		go func() { _ = made.GetCache().Start(cacheCtx) }()
		if !made.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the cache did not start")
		}
		list := &WidgetV2List{}
		if err := made.GetCache().List(ctx, list, client.InNamespace(s.namespace)); err != nil {
			return err
		}
		if err := direct.Create(ctx, widget("late", 12)); err != nil {
			return err
		}
		return eventually(ctx, "converted event", func(ctx context.Context) (bool, error) {
			late := &WidgetV2{}
			err := made.GetCache().Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: "late"}, late)
			return err == nil && late.Spec.Dimension == "12cm", client.IgnoreNotFound(err)
		})
	})
	s.check("clean up", func(ctx context.Context) error { return options.Cleanup() })
}

func widgetWebhooks(group string) *envtest.WebhookInstallOptions {
	rules := func(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
		return []admissionv1.RuleWithOperations{{Operations: operations, Rule: admissionv1.Rule{
			APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{"widgets"},
		}}}
	}
	service := func(path string) admissionv1.WebhookClientConfig {
		return admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Name: "widgets", Namespace: "default", Path: &path}}
	}
	return &envtest.WebhookInstallOptions{
		MutatingWebhooks: []*admissionv1.MutatingWebhookConfiguration{{
			TypeMeta: metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "MutatingWebhookConfiguration"}, ObjectMeta: metav1.ObjectMeta{Name: "mutate." + group},
			Webhooks: []admissionv1.MutatingWebhook{{
				Name: "mutate.widgets.example.com", ClientConfig: service("/mutate"), Rules: rules(admissionv1.Create, admissionv1.Update),
				SideEffects: new(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			}},
		}},
		ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{{
			TypeMeta: metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"}, ObjectMeta: metav1.ObjectMeta{Name: "validate." + group},
			Webhooks: []admissionv1.ValidatingWebhook{{
				Name: "validate.widgets.example.com", ClientConfig: service("/validate"), Rules: rules(admissionv1.Create, admissionv1.Update, admissionv1.Delete),
				SideEffects: new(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			}},
		}},
	}
}
