//! Where the variables lie that a PHP is seen by.

/// The addresses of variables, as far as they are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    pub executor_globals: Option<u64>,
    pub sapi_globals: Option<u64>,
    pub generator_class: Option<u64>,
    pub fiber_class: Option<u64>,
    pub globals_offset: Option<u64>,
    pub sapi_offset: Option<u64>,
    pub sapi_module: Option<u64>,
}

impl Symbols {
    pub fn map(self, place: impl Fn(u64) -> u64) -> Self {
        Self {
            executor_globals: self.executor_globals.map(&place),
            sapi_globals: self.sapi_globals.map(&place),
            generator_class: self.generator_class.map(&place),
            fiber_class: self.fiber_class.map(&place),
            globals_offset: self.globals_offset.map(&place),
            sapi_offset: self.sapi_offset.map(&place),
            sapi_module: self.sapi_module.map(&place),
        }
    }

    /// Those of `first`, and what it has not.
    pub fn under(self, first: Self) -> Self {
        Self {
            executor_globals: first.executor_globals.or(self.executor_globals),
            sapi_globals: first.sapi_globals.or(self.sapi_globals),
            generator_class: first.generator_class.or(self.generator_class),
            fiber_class: first.fiber_class.or(self.fiber_class),
            globals_offset: first.globals_offset.or(self.globals_offset),
            sapi_offset: first.sapi_offset.or(self.sapi_offset),
            sapi_module: first.sapi_module.or(self.sapi_module),
        }
    }
}
