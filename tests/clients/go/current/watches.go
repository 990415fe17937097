package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

func watchChecks(s *suite) {
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	s.check("a watch from a version sees every later event of its selector", func(ctx context.Context) error {
		first, err := maps.Create(ctx, configMap("w", nil), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		watcher, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion, LabelSelector: "in=yes"})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		for _, labels := range []map[string]string{nil, {"in": "yes"}, {"in": "yes", "x": "y"}, {"in": "no"}, {"in": "yes"}} {
			first.Labels = labels
			if first, err = maps.Update(ctx, first, metav1.UpdateOptions{}); err != nil {
				return err
			}
		}
		if err := maps.Delete(ctx, "w", metav1.DeleteOptions{}); err != nil {
			return err
		}
		seen, err := take(ctx, watcher, 5)
		if err != nil {
			return err
		}
		var types []watch.EventType
		last := 0
		for _, event := range seen {
			types = append(types, event.Type)
			version, err := strconv.Atoi(event.Object.(*corev1.ConfigMap).ResourceVersion)
			if err != nil || version <= last {
				return fmt.Errorf("version %d after %d (%w)", version, last, err)
			}
			last = version
		}
		return all(
			equal("events", types, []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Added, watch.Deleted}),
			equal("labels at the exit", seen[2].Object.(*corev1.ConfigMap).Labels, map[string]string{"in": "yes", "x": "y"}),
		)
	})
	s.check("a watch without a version starts with what is there", func(ctx context.Context) error {
		if _, err := maps.Create(ctx, configMap("there", nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		watcher, err := maps.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=there"})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		seen, err := take(ctx, watcher, 1)
		if err != nil {
			return err
		}
		return equal("event", seen[0].Type, watch.Added)
	})
	s.check("dynamic and metadata watches decode their own forms", func(ctx context.Context) error {
		dyn, err := dynamic.NewForConfig(s.config)
		if err != nil {
			return err
		}
		partial, err := metadata.NewForConfig(s.config)
		if err != nil {
			return err
		}
		options := metav1.ListOptions{FieldSelector: "metadata.name=there"}
		one, err := dyn.Resource(configMaps).Namespace(s.namespace).Watch(ctx, options)
		if err != nil {
			return err
		}
		defer one.Stop()
		two, err := partial.Resource(configMaps).Namespace(s.namespace).Watch(ctx, options)
		if err != nil {
			return err
		}
		defer two.Stop()
		first, err := take(ctx, one, 1)
		if err != nil {
			return err
		}
		second, err := take(ctx, two, 1)
		if err != nil {
			return err
		}
		_, isUnstructured := first[0].Object.(*unstructured.Unstructured)
		_, isMetadata := second[0].Object.(*metav1.PartialObjectMetadata)
		return all(holds(isUnstructured, "dynamic: %T", first[0].Object), holds(isMetadata, "metadata: %T", second[0].Object))
	})
	s.check("initial events end with a bookmark", func(ctx context.Context) error {
		watcher, err := maps.Watch(ctx, metav1.ListOptions{
			SendInitialEvents: new(true), AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			FieldSelector: "metadata.name=there",
		})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		seen, err := take(ctx, watcher, 2)
		if err != nil {
			return err
		}
		bookmark := seen[1].Object.(*corev1.ConfigMap)
		return all(
			equal("first", seen[0].Type, watch.Added),
			equal("second", seen[1].Type, watch.Bookmark),
			equal("annotation", bookmark.Annotations[metav1.InitialEventsAnnotationKey], "true"),
			holds(bookmark.ResourceVersion != "", "a bookmark without a version"),
		)
	})
	s.check("a watch ends when its time is over", func(ctx context.Context) error {
		watcher, err := maps.Watch(ctx, metav1.ListOptions{TimeoutSeconds: new(int64(1)), FieldSelector: "metadata.name=none"})
		if err != nil {
			return err
		}
		start := time.Now()
		for range watcher.ResultChan() {
		}
		return holds(time.Since(start) < 4*time.Second, "took %s", time.Since(start))
	})
	s.check("the retry watcher carries on over ended watches", s.retryWatcher)
	s.check("hundreds of watches share connections, and one that is not read holds up none", s.manyWatches)
	s.check("until with sync sees a condition", func(ctx context.Context) error {
		target := configMap("until", nil)
		source := cache.NewListWatchFromClient(s.client.CoreV1().RESTClient(), "configmaps", s.namespace, fields.OneTermEqualSelector("metadata.name", "until"))
		go func() { _, _ = maps.Create(ctx, target, metav1.CreateOptions{}) }()
		event, err := watchtools.UntilWithSync(ctx, source, &corev1.ConfigMap{}, nil, func(event watch.Event) (bool, error) {
			return event.Type == watch.Added, nil
		})
		if err != nil {
			return err
		}
		return equal("name", event.Object.(*corev1.ConfigMap).Name, "until")
	})
}

func (s *suite) retryWatcher(ctx context.Context) error {
	const watches, writesEach = 3, 5
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	object, err := maps.Create(ctx, configMap("retry", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	// Room for the watches that follow once everything is written.
	opened := make(chan struct{}, 100)
	source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		options.FieldSelector = "metadata.name=retry"
		options.TimeoutSeconds = new(int64(1))
		watcher, err := maps.Watch(ctx, options)
		opened <- struct{}{}
		return watcher, err
	}}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, object.ResourceVersion, source)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	var seen []watch.Event
	taken := make(chan error, 1)
	go func() {
		var err error
		seen, err = take(ctx, watcher, watches*writesEach)
		taken <- err
	}()
	for i := range watches * writesEach {
		if i%writesEach == 0 {
			<-opened
		}
		object.Data = map[string]string{"n": fmt.Sprint(i)}
		if object, err = maps.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	if err := <-taken; err != nil {
		return err
	}
	for i, event := range seen {
		if err := equal("event", event.Object.(*corev1.ConfigMap).Data["n"], fmt.Sprint(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) manyWatches(ctx context.Context) error {
	const watchers, writes = 400, 20
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	object, err := maps.Create(ctx, configMap("many", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	options := metav1.ListOptions{ResourceVersion: object.ResourceVersion, FieldSelector: "metadata.name=many"}
	results := make(chan error, watchers)
	for i := range watchers {
		watcher, err := maps.Watch(ctx, options)
		if err != nil {
			return fmt.Errorf("watch %d: %w", i, err)
		}
		defer watcher.Stop()
		if i == 0 {
			results <- nil
			continue
		}
		go func() {
			_, err := take(ctx, watcher, writes)
			results <- err
		}()
	}
	for i := range writes {
		object.Data = map[string]string{"n": fmt.Sprint(i), "fill": strings.Repeat("x", 2_000)}
		if object, err = maps.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	for range watchers {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

func take(ctx context.Context, watcher watch.Interface, count int) ([]watch.Event, error) {
	var seen []watch.Event
	for len(seen) < count {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("only %d of %d events came: %s", len(seen), count, show(seen))
		case event, open := <-watcher.ResultChan():
			if !open {
				return nil, fmt.Errorf("the watch ended after %d of %d events", len(seen), count)
			}
			if event.Type == watch.Error {
				return nil, apierrors.FromObject(event.Object)
			}
			seen = append(seen, event)
		}
	}
	return seen, nil
}
