package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	widgetFinalizer = "example.com/widget"
	ownerIndex      = "spec.owner"
)

// widgetReconciler keeps a ConfigMap for each widget, by server-side apply, and says so in the status.
type widgetReconciler struct {
	client.Client
	group string
}

func (r *widgetReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, widget)
	}
	if controllerutil.AddFinalizer(widget, widgetFinalizer) {
		return ctrl.Result{}, r.Update(ctx, widget)
	}
	applied := coreac.ConfigMap("of-"+widget.Name, widget.Namespace).
		WithData(map[string]string{"size": fmt.Sprint(widget.Spec.Size)}).
		WithOwnerReferences(metaac.OwnerReference().WithAPIVersion(r.group + "/v1").WithKind("Widget").WithName(widget.Name).
			WithUID(widget.UID).WithController(true).WithBlockOwnerDeletion(true))
	if err := r.Apply(ctx, applied, client.FieldOwner("widgets"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	before := widget.DeepCopy()
	widget.Status.Ready = true
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
		Type: "Applied", Status: metav1.ConditionTrue, Reason: "Applied", ObservedGeneration: widget.Generation,
	})
	return ctrl.Result{}, r.Status().Patch(ctx, widget, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (r *widgetReconciler) release(ctx context.Context, widget *Widget) error {
	mark := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "was-" + widget.Name, Namespace: widget.Namespace}}
	if err := client.IgnoreAlreadyExists(r.Create(ctx, mark)); err != nil {
		return err
	}
	before := widget.DeepCopy()
	controllerutil.RemoveFinalizer(widget, widgetFinalizer)
	return client.IgnoreNotFound(r.Patch(ctx, widget, client.MergeFrom(before)))
}

func managerChecks(s *suite) {
	group := s.namespace + ".example.com"
	scheme := widgetScheme(group, "v1")
	var running ctrl.Manager
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s.check("definitions install as in envtest", func(context.Context) error {
		_, err := envtest.InstallCRDs(s.config, envtest.CRDInstallOptions{Scheme: scheme, CRDs: []*apiextensionsv1.CustomResourceDefinition{widgetDefinition(group, "v1")}})
		return err
	})
	s.check("a manager leads and fills its cache", func(check context.Context) error {
		made, err := ctrl.NewManager(s.config, ctrl.Options{
			Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}},
			LeaderElection: true, LeaderElectionID: "widgets", LeaderElectionNamespace: s.namespace, LeaderElectionReleaseOnCancel: true,
		})
		if err != nil {
			return err
		}
		if err := made.GetFieldIndexer().IndexField(ctx, &Widget{}, ownerIndex, func(object client.Object) []string {
			return []string{object.(*Widget).Spec.Owner}
		}); err != nil {
			return err
		}
		err = ctrl.NewControllerManagedBy(made).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(&widgetReconciler{Client: made.GetClient(), group: group})
		if err != nil {
			return err
		}
		go func() {
			if err := made.Start(ctx); err != nil {
				s.line(map[string]any{"managerStopped": err.Error()})
			}
		}()
		select {
		case <-made.Elected():
		case <-check.Done():
			return check.Err()
		}
		running = made
		return holds(made.GetCache().WaitForCacheSync(check), "cache did not fill")
	})
	if running == nil {
		return
	}
	cached := running.GetClient()
	key := client.ObjectKey{Namespace: s.namespace, Name: "w1"}
	s.check("a new object is reconciled: finalizer, apply, status", func(ctx context.Context) error {
		if err := cached.Create(ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w1", Namespace: s.namespace}, Spec: WidgetSpec{Size: 3, Owner: "ann"}}); err != nil {
			return err
		}
		widget, child := &Widget{}, &corev1.ConfigMap{}
		if err := eventually(ctx, "ready", func(ctx context.Context) (bool, error) {
			err := cached.Get(ctx, key, widget)
			return err == nil && widget.Status.Ready, client.IgnoreNotFound(err)
		}); err != nil {
			return err
		}
		if err := cached.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: "of-w1"}, child); err != nil {
			return err
		}
		return all(
			equal("condition", condition(widget.Status.Conditions, "Applied"), "True"),
			equal("finalizers", widget.Finalizers, []string{widgetFinalizer}),
			equal("data", child.Data, map[string]string{"size": "3"}),
			holds(metav1.IsControlledBy(child, widget), "owner: %s", show(child.OwnerReferences)),
		)
	})
	s.check("changes of the object and of what it owns wake the controller", func(ctx context.Context) error {
		child := client.ObjectKey{Namespace: s.namespace, Name: "of-w1"}
		sized := func(size string) func(ctx context.Context) (bool, error) {
			return func(ctx context.Context) (bool, error) {
				object := &corev1.ConfigMap{}
				err := cached.Get(ctx, child, object)
				return err == nil && object.Data["size"] == size, client.IgnoreNotFound(err)
			}
		}
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":5}}`))
		if err := cached.Patch(ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w1", Namespace: s.namespace}}, patch); err != nil {
			return err
		}
		if err := eventually(ctx, "new size", sized("5")); err != nil {
			return err
		}
		if err := s.client.CoreV1().ConfigMaps(s.namespace).Delete(ctx, "of-w1", metav1.DeleteOptions{}); err != nil {
			return err
		}
		return eventually(ctx, "made again", func(ctx context.Context) (bool, error) {
			object, err := s.client.CoreV1().ConfigMaps(s.namespace).Get(ctx, "of-w1", metav1.GetOptions{})
			return err == nil && object.Data["size"] == "5", client.IgnoreNotFound(err)
		})
	})
	s.check("the cache answers by field index", func(ctx context.Context) error {
		if err := cached.Create(ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w2", Namespace: s.namespace}, Spec: WidgetSpec{Size: 1, Owner: "bob"}}); err != nil {
			return err
		}
		return eventually(ctx, "bob's widget", func(ctx context.Context) (bool, error) {
			list := &WidgetList{}
			err := cached.List(ctx, list, client.InNamespace(s.namespace), client.MatchingFields{ownerIndex: "bob"})
			return err == nil && len(list.Items) == 1 && list.Items[0].Name == "w2", err
		})
	})
	s.check("create or update, and a metadata-only read", func(ctx context.Context) error {
		direct, err := client.New(s.config, client.Options{Scheme: scheme})
		if err != nil {
			return err
		}
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "either", Namespace: s.namespace}}
		var results []controllerutil.OperationResult
		for _, value := range []string{"1", "1", "2"} {
			result, err := controllerutil.CreateOrUpdate(ctx, direct, object, func() error {
				object.Data = map[string]string{"a": value}
				return nil
			})
			if err != nil {
				return err
			}
			results = append(results, result)
		}
		partial := &metav1.PartialObjectMetadata{}
		partial.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		if err := direct.Get(ctx, client.ObjectKeyFromObject(object), partial); err != nil {
			return err
		}
		return all(equal("results", results, []controllerutil.OperationResult{"created", "unchanged", "updated"}), equal("uid", partial.UID, object.UID))
	})
	s.check("deletion waits for the finalizer and collects what is owned", func(ctx context.Context) error {
		if err := cached.Delete(ctx, &Widget{ObjectMeta: metav1.ObjectMeta{Name: "w1", Namespace: s.namespace}}); err != nil {
			return err
		}
		return eventually(ctx, "gone", func(ctx context.Context) (bool, error) {
			_, marked := s.client.CoreV1().ConfigMaps(s.namespace).Get(ctx, "was-w1", metav1.GetOptions{})
			_, child := s.client.CoreV1().ConfigMaps(s.namespace).Get(ctx, "of-w1", metav1.GetOptions{})
			return marked == nil && apierrors.IsNotFound(child) && apierrors.IsNotFound(cached.Get(ctx, key, &Widget{})), nil
		})
	})
}
