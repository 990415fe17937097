package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deletionChecks follow owner references and namespaces to their end.
func deletionChecks(s *suite) {
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	family := func(ctx context.Context, name string) (*corev1.ConfigMap, error) {
		owner, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		for i := range 3 {
			child := configMap(fmt.Sprintf("%s-%d", name, i), nil)
			child.Labels = map[string]string{"owner": name}
			child.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: owner.UID, BlockOwnerDeletion: new(true)}}
			if _, err := maps.Create(ctx, child, metav1.CreateOptions{}); err != nil {
				return nil, err
			}
		}
		return owner, nil
	}
	children := func(ctx context.Context, name string) ([]corev1.ConfigMap, error) {
		list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "owner=" + name})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}
	gone := func(ctx context.Context, name string) error {
		return eventually(ctx, name+" and its children gone", func(ctx context.Context) (bool, error) {
			_, err := maps.Get(ctx, name, metav1.GetOptions{})
			left, listErr := children(ctx, name)
			return apierrors.IsNotFound(err) && len(left) == 0, listErr
		})
	}
	remove := func(ctx context.Context, name string, policy metav1.DeletionPropagation) error {
		return maps.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	}
	s.check("in the background", func(ctx context.Context) error {
		if _, err := family(ctx, "back"); err != nil {
			return err
		}
		return all(remove(ctx, "back", metav1.DeletePropagationBackground), gone(ctx, "back"))
	})
	s.check("in the foreground, the owner last", func(ctx context.Context) error {
		if _, err := family(ctx, "fore"); err != nil {
			return err
		}
		blocked, err := maps.Get(ctx, "fore-0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		blocked.Finalizers = []string{"example.com/hold"}
		if _, err := maps.Update(ctx, blocked, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := remove(ctx, "fore", metav1.DeletePropagationForeground); err != nil {
			return err
		}
		if err := eventually(ctx, "only the held child left", func(ctx context.Context) (bool, error) {
			left, err := children(ctx, "fore")
			return len(left) == 1 && left[0].DeletionTimestamp != nil, err
		}); err != nil {
			return err
		}
		owner, err := maps.Get(ctx, "fore", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := equal("finalizers of the owner", owner.Finalizers, []string{metav1.FinalizerDeleteDependents}); err != nil {
			return err
		}
		held, err := maps.Get(ctx, "fore-0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		held.Finalizers = nil
		_, err = maps.Update(ctx, held, metav1.UpdateOptions{})
		return all(err, gone(ctx, "fore"))
	})
	s.check("leaving orphans", func(ctx context.Context) error {
		if _, err := family(ctx, "orphan"); err != nil {
			return err
		}
		if err := remove(ctx, "orphan", metav1.DeletePropagationOrphan); err != nil {
			return err
		}
		if err := eventually(ctx, "owner gone", func(ctx context.Context) (bool, error) {
			_, err := maps.Get(ctx, "orphan", metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		}); err != nil {
			return err
		}
		left, err := children(ctx, "orphan")
		if err != nil {
			return err
		}
		for _, child := range left {
			if len(child.OwnerReferences) > 0 {
				return fmt.Errorf("%s still has an owner", child.Name)
			}
		}
		return equal("children", len(left), 3)
	})
	s.check("a child of an owner that is not there", func(ctx context.Context) error {
		child := configMap("lost", nil)
		child.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "never", UID: "11111111-2222-3333-4444-555555555555"}}
		if _, err := maps.Create(ctx, child, metav1.CreateOptions{}); err != nil {
			return err
		}
		return gone(ctx, "lost")
	})
	s.check("a namespace with all it holds", s.namespaceDeletion)
}

func (s *suite) namespaceDeletion(ctx context.Context) error {
	namespaces := s.client.CoreV1().Namespaces()
	name := s.namespace + "-inner"
	if _, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	inner := s.client.CoreV1().ConfigMaps(name)
	held := configMap("held", nil)
	held.Finalizers = []string{"example.com/hold"}
	made, err := inner.Create(ctx, held, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := s.client.CoreV1().Secrets(name).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, refusedCreate := inner.Create(ctx, configMap("late", nil), metav1.CreateOptions{})
	if err := all(
		refused(refusedCreate, apierrors.IsForbidden, "create in a namespace that ends"),
		holds(apierrors.HasStatusCause(refusedCreate, corev1.NamespaceTerminatingCause), "cause: %v", refusedCreate),
	); err != nil {
		return err
	}
	if err := eventually(ctx, "a condition that says what is left", func(ctx context.Context) (bool, error) {
		namespace, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range namespace.Status.Conditions {
			if condition.Type == corev1.NamespaceFinalizersRemaining && condition.Status == corev1.ConditionTrue {
				return namespace.Status.Phase == corev1.NamespaceTerminating, nil
			}
		}
		return false, nil
	}); err != nil {
		return err
	}
	if made, err = inner.Get(ctx, "held", metav1.GetOptions{}); err != nil {
		return err
	}
	made.Finalizers = nil
	if _, err := inner.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "namespace gone", func(ctx context.Context) (bool, error) {
		_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), nil
	})
}
