package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

func listChecks(s *suite) {
	const total = 60
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	s.check("fill a namespace", func(ctx context.Context) error {
		for i := range total {
			object := configMap(fmt.Sprintf("item-%03d", i), nil)
			object.Labels = map[string]string{"part": fmt.Sprint(i % 3)}
			if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
	s.check("the pager walks every item once, in order, at one version", func(ctx context.Context) error {
		versions := map[string]bool{}
		pages := 0
		walker := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := maps.List(ctx, options)
			if err == nil {
				pages++
				versions[list.ResourceVersion] = true
				if pages == 1 {
					_, err = maps.Create(ctx, configMap("item-late", nil), metav1.CreateOptions{})
				}
			}
			return list, err
		})
		walker.PageSize = 7
		walker.PageBufferSize = 0
		var names []string
		err := walker.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
			names = append(names, object.(*corev1.ConfigMap).Name)
			return nil
		})
		if err != nil {
			return err
		}
		if err := all(equal("versions", len(versions), 1), equal("pages", pages, 9)); err != nil {
			return err
		}
		rest := names
		if len(rest) > 0 && rest[len(rest)-1] == "kube-root-ca.crt" {
			rest = rest[:len(rest)-1]
		}
		if err := equal("items", len(rest), total); err != nil {
			return err
		}
		for i, name := range rest {
			if err := equal("item", name, fmt.Sprintf("item-%03d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	s.check("remaining items are counted without a selector only", func(ctx context.Context) error {
		plain, err := maps.List(ctx, metav1.ListOptions{Limit: 10})
		if err != nil {
			return err
		}
		selected, err := maps.List(ctx, metav1.ListOptions{Limit: 10, LabelSelector: "part=1"})
		if err != nil {
			return err
		}
		return all(
			holds(plain.RemainingItemCount != nil && *plain.RemainingItemCount >= total+1-10, "remaining: %s", show(plain.RemainingItemCount)),
			holds(selected.RemainingItemCount == nil, "remaining with a selector: %s", show(selected.RemainingItemCount)),
			equal("selected", len(selected.Items), 10),
			holds(selected.Continue != "", "no continue token"),
		)
	})
	s.check("selectors", func(ctx context.Context) error {
		for query, want := range map[metav1.ListOptions]int{
			{LabelSelector: "part in (0,1)"}:                                                      40,
			{LabelSelector: "part notin (0,1),part"}:                                              20,
			{LabelSelector: "part,part!=2"}:                                                       40,
			{FieldSelector: "metadata.name=item-007"}:                                             1,
			{FieldSelector: "metadata.name!=item-007", LabelSelector: "part=1"}:                   19,
			{FieldSelector: "metadata.name=item-007,metadata.namespace=" + s.namespace}:           1,
			{FieldSelector: "metadata.namespace=elsewhere"}:                                       0,
			{LabelSelector: "part=1", ResourceVersion: "0"}:                                       20,
			{LabelSelector: "part=1", ResourceVersion: "1", ResourceVersionMatch: "NotOlderThan"}: 20,
		} {
			list, err := maps.List(ctx, query)
			if err != nil {
				return fmt.Errorf("%s: %w", show(query), err)
			}
			if err := equal(show(query), len(list.Items), want); err != nil {
				return err
			}
		}
		return nil
	})
	s.check("a list at an exact version shows that version", func(ctx context.Context) error {
		before, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "part=0"})
		if err != nil {
			return err
		}
		if err := maps.Delete(ctx, "item-000", metav1.DeleteOptions{}); err != nil {
			return err
		}
		exact, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "part=0", ResourceVersion: before.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		if err != nil {
			return err
		}
		now, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "part=0"})
		if err != nil {
			return err
		}
		return all(equal("then", len(exact.Items), 20), equal("now", len(now.Items), 19))
	})
	s.check("bad options are refused", func(ctx context.Context) error {
		future := s.client.CoreV1().RESTClient().Get().Namespace(s.namespace).Resource("configmaps").MaxRetries(0).
			Param("resourceVersion", "999999999").Param("resourceVersionMatch", "NotOlderThan").Do(ctx).Error()
		_, token := maps.List(ctx, metav1.ListOptions{Limit: 1, Continue: "not-a-token"})
		_, match := maps.List(ctx, metav1.ListOptions{ResourceVersionMatch: "Sometimes", ResourceVersion: "1"})
		_, selector := maps.List(ctx, metav1.ListOptions{LabelSelector: "a=b=c"})
		return all(
			refused(future, apierrors.IsTimeout, "a version of the future"),
			holds(apierrors.HasStatusCause(future, metav1.CauseTypeResourceVersionTooLarge), "cause of a version of the future: %v", future),
			refused(token, apierrors.IsBadRequest, "bad continue token"),
			refused(match, apierrors.IsInvalid, "unknown resourceVersionMatch"),
			refused(selector, apierrors.IsBadRequest, "bad label selector"),
		)
	})
}
