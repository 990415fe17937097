package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

func eventChecks(s *suite) {
	var about *corev1.ConfigMap
	s.check("make something to report on", func(ctx context.Context) error {
		var err error
		about, err = s.client.CoreV1().ConfigMaps(s.namespace).Create(ctx, configMap("subject", nil), metav1.CreateOptions{})
		return err
	})
	s.check("the core recorder writes, counts and aggregates", func(ctx context.Context) error {
		broadcaster := record.NewBroadcaster(record.WithContext(ctx))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: s.client.CoreV1().Events("")})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "tester"})
		for range 3 {
			recorder.Event(about, corev1.EventTypeWarning, "Repeated", "said three times")
		}
		return eventually(ctx, "an event counted three times", func(ctx context.Context) (bool, error) {
			list, err := s.client.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: fields.Set{"reason": "Repeated", "involvedObject.name": "subject", "type": "Warning", "source": "tester"}.String()})
			return err == nil && len(list.Items) == 1 && list.Items[0].Count == 3, err
		})
	})
	s.check("the events.k8s.io recorder writes a series", func(ctx context.Context) error {
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: s.client.EventsV1()})
		defer broadcaster.Shutdown()
		if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
			return err
		}
		recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/tester")
		find := func(ctx context.Context) (*eventsv1.Event, error) {
			list, err := s.client.EventsV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Told"})
			if err != nil || len(list.Items) == 0 {
				return nil, err
			}
			if len(list.Items) > 1 {
				return nil, fmt.Errorf("%d events", len(list.Items))
			}
			return &list.Items[0], nil
		}
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Told", "Telling", "note %d", 1)
		if err := eventually(ctx, "the event", func(ctx context.Context) (bool, error) {
			event, err := find(ctx)
			return event != nil, err
		}); err != nil {
			return err
		}
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Told", "Telling", "note %d", 1)
		if err := eventually(ctx, "the series", func(ctx context.Context) (bool, error) {
			event, err := find(ctx)
			return event != nil && event.Series != nil && event.Series.Count == 2, err
		}); err != nil {
			return err
		}
		event, err := find(ctx)
		if err != nil {
			return err
		}
		asCore, err := s.client.CoreV1().Events(s.namespace).Get(ctx, event.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return all(equal("note as message", asCore.Message, "note 1"), equal("controller", asCore.ReportingController, "example.com/tester"), equal("subject", asCore.InvolvedObject.UID, about.UID))
	})
	s.check("search finds events by object", func(ctx context.Context) error {
		found, err := s.client.CoreV1().Events(s.namespace).SearchWithContext(ctx, scheme.Scheme, about)
		if err != nil {
			return err
		}
		return equal("found", len(found.Items), 2)
	})
}
