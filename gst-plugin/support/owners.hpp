// SPDX-License-Identifier: LGPL-2.1-or-later
// unique_ptr types for reference-counted GStreamer objects, with one deleter for all.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include <memory>

namespace bcp::gst {

struct Unref {
  void operator()(GstCaps* p) const { gst_caps_unref(p); }
  void operator()(GstBuffer* p) const { gst_buffer_unref(p); }
  void operator()(GstBufferPool* p) const { gst_object_unref(p); }
  void operator()(GstBufferList* p) const { gst_buffer_list_unref(p); }
  void operator()(GstEvent* p) const { gst_event_unref(p); }
  void operator()(GstMessage* p) const { gst_message_unref(p); }
  void operator()(GstQuery* p) const { gst_query_unref(p); }
  void operator()(GstSample* p) const { gst_sample_unref(p); }
  void operator()(GstStructure* p) const { gst_structure_free(p); }
  void operator()(GstTagList* p) const { gst_tag_list_unref(p); }
  void operator()(GstElement* p) const { gst_object_unref(p); }
  void operator()(GstPad* p) const { gst_object_unref(p); }
  void operator()(GstBus* p) const { gst_object_unref(p); }
  void operator()(GstBcpLabels* p) const { gst_bcp_labels_unref(p); }
  void operator()(GstBcpResult* p) const { gst_bcp_result_unref(p); }
  void operator()(GstBcpResultBuilder* p) const { gst_bcp_result_builder_unref(p); }
  void operator()(GError* p) const { g_error_free(p); }
  void operator()(gchar* p) const { g_free(p); }
};

using CapsPtr = std::unique_ptr<GstCaps, Unref>;
using BufferPtr = std::unique_ptr<GstBuffer, Unref>;
using BufferPoolPtr = std::unique_ptr<GstBufferPool, Unref>;
using BufferListPtr = std::unique_ptr<GstBufferList, Unref>;
using EventPtr = std::unique_ptr<GstEvent, Unref>;
using MessagePtr = std::unique_ptr<GstMessage, Unref>;
using QueryPtr = std::unique_ptr<GstQuery, Unref>;
using SamplePtr = std::unique_ptr<GstSample, Unref>;
using StructurePtr = std::unique_ptr<GstStructure, Unref>;
using TagListPtr = std::unique_ptr<GstTagList, Unref>;
using ElementPtr = std::unique_ptr<GstElement, Unref>;
using PadPtr = std::unique_ptr<GstPad, Unref>;
using BusPtr = std::unique_ptr<GstBus, Unref>;
using BcpLabelsPtr = std::unique_ptr<GstBcpLabels, Unref>;
using BcpResultPtr = std::unique_ptr<GstBcpResult, Unref>;
using BcpResultBuilderPtr = std::unique_ptr<GstBcpResultBuilder, Unref>;
using ErrorPtr = std::unique_ptr<GError, Unref>;
using CharPtr = std::unique_ptr<gchar, Unref>;

}  // namespace bcp::gst
