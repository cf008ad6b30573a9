//! `phperf bench`.
